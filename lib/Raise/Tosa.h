//===- Tosa.h - raising operations of the TOSA dialect ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// TOSA images are (batch, spatial..., channel), those of memfmt (batch,
// channel, spatial...). A raised operation stands between two `tosa.transpose`,
// which cancel against those that importers write, or move on to the boundary.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_TOSA_H
#define MEMFMT_LIB_RAISE_TOSA_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"

namespace memfmt {

/// Groups of convolutions first: what they consist of would be raised alone.
void populateTosaGroupPatterns(mlir::RewritePatternSet &patterns);
void populateTosaConvPatterns(mlir::RewritePatternSet &patterns);
void populateTosaPoolPatterns(mlir::RewritePatternSet &patterns);
void populateTosaMatmulPatterns(mlir::RewritePatternSet &patterns);
void populateTosaTransposePatterns(mlir::RewritePatternSet &patterns);

/// Whether all elements of a constant are zero of an integer or floating-point
/// type; false for whatever is not known.
bool isZeroConstant(mlir::Value value);

/// The elements of a `tosa.const_shape`; failure where the shape is computed.
mlir::FailureOr<llvm::SmallVector<int64_t>> getConstantShape(mlir::Value shape);

/// `tosa.transpose`; `value` itself where nothing moves.
mlir::Value transposeTosa(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value,
                          llvm::ArrayRef<int64_t> permutation);

/// `tosa.reshape` to a static shape.
mlir::Value reshapeTosa(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The permutation from (batch, spatial..., channel) to (batch, channel,
/// spatial...).
llvm::SmallVector<int64_t> getChannelsFirst(int64_t rank);

/// (batch, spatial..., channel) as (batch, channel, spatial...), and back.
mlir::Value putChannelsFirst(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value);
mlir::Value putChannelsLast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value);
/// The type after `putChannelsFirst`.
mlir::RankedTensorType getChannelsFirstType(mlir::RankedTensorType type);

/// The low (first = 0) or high (first = 1) sides of TOSA padding, which lists
/// both for one axis after the other.
llvm::SmallVector<int64_t> getPaddingSide(llvm::ArrayRef<int64_t> padding,
                                          unsigned first);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_TOSA_H
