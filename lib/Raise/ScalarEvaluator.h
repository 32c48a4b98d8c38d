//===- ScalarEvaluator.h - elements known at compile time -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers write coordinates, divisors and weights of resizes and pools as
// programs on indices. This evaluates them for given indices by the folders of
// the operations themselves, so that a recogniser compares numbers with the
// definition instead of matching one spelling.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_SCALAREVALUATOR_H
#define MEMFMT_LIB_RAISE_SCALAREVALUATOR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <map>
#include <vector>

namespace memfmt {

/// Evaluates scalars inside element-wise generics and elements of tensors. An
/// evaluator lives as long as nothing changes in the program.
class ScalarEvaluator {
public:
  /// The scalar of the body of `generic` at the given values of its loops; a
  /// value outside of all bodies where `generic` is null. Null where it is not
  /// known.
  mlir::Attribute evaluate(mlir::Value scalar, mlir::linalg::GenericOp generic,
                           llvm::ArrayRef<int64_t> loops);
  /// The element of a tensor of static shape. Null where it is not known, or
  /// where the indices are outside.
  mlir::Attribute element(mlir::Value tensor, llvm::ArrayRef<int64_t> indices);

  /// The loops of `generic` on which a scalar of its body depends, one bit
  /// each.
  uint64_t getLoops(mlir::Value scalar, mlir::linalg::GenericOp generic);

private:
  mlir::Attribute fold(mlir::Operation *op, mlir::linalg::GenericOp generic,
                       llvm::ArrayRef<int64_t> loops);

  using Key = std::pair<const void *, std::vector<int64_t>>;
  std::map<Key, mlir::Attribute> known;
  llvm::DenseMap<mlir::Value, uint64_t> loopsOf;
};

/// The results of a map at given values of its dimensions; nullopt where it has
/// symbols or divides by zero.
std::optional<llvm::SmallVector<int64_t>>
applyMap(mlir::AffineMap map, llvm::ArrayRef<int64_t> values);

/// A whole number of any integer or index type.
std::optional<int64_t> getInteger(mlir::Attribute value);
/// A floating-point number.
std::optional<double> getFloat(mlir::Attribute value);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_SCALAREVALUATOR_H
