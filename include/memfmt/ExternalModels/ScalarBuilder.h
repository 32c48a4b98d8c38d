//===- ScalarBuilder.h - scalar arithmetic of any element type --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_EXTERNALMODELS_SCALARBUILDER_H
#define MEMFMT_EXTERNALMODELS_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace memfmt {

/// Builds scalar operations. Both operands of an operation have one type:
/// floats, signed integers, or truth values (i1).
class ScalarBuilder {
public:
  explicit ScalarBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::ImplicitLocOpBuilder &b;

  mlir::Value index(int64_t value);
  /// A number of this type; for integers truncated, and the nearest one that
  /// the type has.
  mlir::Value constant(mlir::Type type, double value);
  /// Least value of a type: minus infinity for floats.
  mlir::Value lowest(mlir::Type type);

  /// Truth values add up to whether there is one that holds.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  /// Integers round towards minus infinity, as indices do.
  mlir::Value div(mlir::Value x, mlir::Value y);
  /// The rest of that division: from 0 to below a positive `y`.
  mlir::Value mod(mlir::Value x, mlir::Value y);
  /// Maximum and minimum propagate NaN.
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value andOf(mlir::Value x, mlir::Value y);
  mlir::Value orOf(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  /// Comparisons; with NaN only `ne` holds.
  mlir::Value eq(mlir::Value x, mlir::Value y);
  mlir::Value ne(mlir::Value x, mlir::Value y);
  mlir::Value lt(mlir::Value x, mlir::Value y);
  mlir::Value le(mlir::Value x, mlir::Value y);

  /// Converts a number: floats to integers towards zero, numbers to truth
  /// values by comparison with zero, truth values to 0 and 1.
  mlir::Value convert(mlir::Value x, mlir::Type type);

  /// `0 <= x` and `x < size`, for indices.
  mlir::Value inside(mlir::Value x, mlir::Value size);

  /// A loop over `lower` to below `upper` that carries values.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper,
                                      mlir::ValueRange initial, LoopBody body);

  /// Nested loops over 0 to below `sizes`, the last one innermost.
  using NestBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange indices, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> nest(mlir::ValueRange sizes,
                                      mlir::ValueRange initial, NestBody body);

  /// `then()` where the condition holds, else `otherwise`; evaluated only then.
  mlir::Value guarded(mlir::Value condition,
                      llvm::function_ref<mlir::Value()> then,
                      mlir::Value otherwise);
};

} // namespace memfmt

#endif // MEMFMT_EXTERNALMODELS_SCALARBUILDER_H
