//===- Reductions.h - reductions that formulas read -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_REDUCTIONS_H
#define MEMFMT_LIB_RAISE_REDUCTIONS_H

#include "Expression.h"

namespace memfmt {

/// A sum or maximum over axes of a tensor, read at the indices of the root of
/// the other axes.
struct Reduction {
  enum Kind { sum, max };
  Kind kind;
  mlir::Value input;
  llvm::SmallVector<int64_t> axes;
};

/// The reduction that a scalar is, where its input has the axes of the root, of
/// rank `rank`. Reduced axes may have disappeared or be kept with size 1.
mlir::FailureOr<Reduction> matchReduction(const Expression &scalar,
                                          int64_t rank);

/// A sum divided by the number of its elements.
mlir::FailureOr<Reduction> matchMean(const Expression &scalar, int64_t rank);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_REDUCTIONS_H
