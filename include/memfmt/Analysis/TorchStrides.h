//===- TorchStrides.h - the strides that eager PyTorch chooses --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rules that several operations share, on sizes and strides alone (all known).
// What each of them says is held against rows made by running PyTorch 2.15.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_TORCHSTRIDES_H
#define MEMFMT_ANALYSIS_TORCHSTRIDES_H

#include "memfmt/IR/ComputeInterfaces.h"
#include "memfmt/IR/Strides.h"

namespace memfmt {

/// `getDenseStrides`, row-major where the format does not serve the rank.
llvm::SmallVector<int64_t> getNewStrides(llvm::ArrayRef<int64_t> sizes,
                                         MemoryFormat format);

/// `suggestFormat` of a layout.
MemoryFormat suggestFormat(const StridedLayout &layout);

/// Strides of a new tensor under `preserve_format`: those of the source where
/// it is dense in some order, else channels-last where it is like that, else
/// those of an element-wise operation.
llvm::SmallVector<int64_t> getPreservedStrides(const StridedLayout &source);

/// Strides of the result of an element-wise operation of this shape, to which
/// the operands broadcast: that of all operands where they agree, otherwise the
/// first operand decides over the order of the axes, and later ones where it
/// leaves it open. Operands of rank 0 take part; they keep the operands from
/// agreeing. Without `fast` operands never agree.
llvm::SmallVector<int64_t>
getElementwiseStrides(llvm::ArrayRef<StridedLayout> operands,
                      llvm::ArrayRef<int64_t> sizes, bool fast = true);

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_TORCHSTRIDES_H
