//===- Axes.h - permuting, joining and splitting axes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_AXES_H
#define MEMFMT_LIB_RAISE_AXES_H

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace memfmt {

/// The first axis of a tensor read through `map` that runs with `loop`, alone
/// or within a sum; -1 where there is none.
int64_t findAxis(mlir::AffineMap map, unsigned loop);

/// Whether strides or dilations are known and positive.
bool areForward(llvm::ArrayRef<int64_t> steps);

/// Whether axis i is axis `permutation[i]` for all axes.
bool isIdentityPermutation(llvm::ArrayRef<int64_t> permutation);

/// The tensor whose axis i is axis `permutation[i]` of `value`; `value` itself
/// where nothing moves.
mlir::Value permuteAxes(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// The type after `permuteAxes`.
mlir::RankedTensorType permuteType(mlir::RankedTensorType type,
                                   llvm::ArrayRef<int64_t> permutation);

/// Joins the axes `axis` and `axis + 1`; both have static sizes.
mlir::Value joinAxes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t axis);

/// Splits axis `axis` into the axes `axis` and `axis + 1` of `type`.
mlir::Value splitAxis(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::RankedTensorType type,
                      int64_t axis);

/// A new axis of size 1 at `axis`.
mlir::Value insertAxis(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, int64_t axis);

/// Without the axis `axis`, which has size 1.
mlir::Value dropAxis(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t axis);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_AXES_H
