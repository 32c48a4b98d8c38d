//===- Inflate.h - decompression of deflate streams -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RUNTIME_INFLATE_H
#define MEMFMT_LIB_RUNTIME_INFLATE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace memfmt::runtime {

/// Decompresses a raw deflate stream (RFC 1951) that must give exactly
/// `output.size()` bytes.
llvm::Error inflate(llvm::ArrayRef<char> input,
                    llvm::MutableArrayRef<char> output);

} // namespace memfmt::runtime

#endif // MEMFMT_LIB_RUNTIME_INFLATE_H
