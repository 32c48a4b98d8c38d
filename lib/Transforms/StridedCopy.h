//===- StridedCopy.h - copies between strided arrays ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_STRIDEDCOPY_H
#define MEMFMT_LIB_TRANSFORMS_STRIDEDCOPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace memfmt {

/// Strides of a row-major array, in elements.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> sizes);

/// One axis of a copy: its size, and the strides in elements on both sides.
struct CopyAxis {
  int64_t size, target, source;
};

/// Copies the box of these axes, in any order. Target strides are positive
/// (they give every element its own place); a source stride of 0 repeats
/// elements.
void copyStrided(char *target, const char *source,
                 llvm::ArrayRef<CopyAxis> axes, int64_t elementBytes);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_STRIDEDCOPY_H
