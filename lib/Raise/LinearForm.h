//===- LinearForm.h - sums of gathered elements -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// An element-wise formula that gathers from one tensor, read as a weighted sum
// of its elements. Weights are products of factors that depend on one index of
// the result each, so that a recogniser can compare the numbers with a
// definition at every index, however the formula is spelled.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_LINEARFORM_H
#define MEMFMT_LIB_RAISE_LINEARFORM_H

#include "Expression.h"
#include "ScalarEvaluator.h"

namespace memfmt {

/// Numbers for each value of one index of the result.
struct WeightTable {
  unsigned axis = 0;
  std::vector<double> values;
};

/// An element of the source: its index along each axis, for each value of the
/// index of the result along the same axis.
struct GatheredElement {
  std::vector<std::vector<int64_t>> indices;
};

/// `coefficient * product of weights * element`; weights and elements by
/// number.
struct LinearTerm {
  double coefficient = 1;
  llvm::SmallVector<unsigned> weights;
  std::optional<unsigned> element;
};

/// The formula of a tensor of static shape, for which source axis i depends on
/// result axis i only.
struct LinearForm {
  mlir::Value source;
  llvm::SmallVector<WeightTable> weights;
  llvm::SmallVector<GatheredElement> elements;
  llvm::SmallVector<LinearTerm> terms;

  /// The form of an element of `result`; a failure where it is none, reads no
  /// element, or has very many terms.
  static mlir::FailureOr<LinearForm> match(mlir::Value result);

  /// The weights of the elements of the source, by row-major position among
  /// the axes from `firstAxis` on, at these indices of the result; equal
  /// positions are added and sorted, zeros kept.
  void getWeights(llvm::ArrayRef<int64_t> indices, unsigned firstAxis,
                  llvm::SmallVectorImpl<std::pair<int64_t, double>> &out) const;
};

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_LINEARFORM_H
