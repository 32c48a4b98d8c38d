//===- Recognisers.h - structures that importers spell out ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_RECOGNISERS_H
#define MEMFMT_LIB_RAISE_RECOGNISERS_H

#include "Expression.h"

#include "memfmt/Raise/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace memfmt {

/// One file each.
void populateConvRecognisers(mlir::RewritePatternSet &patterns);
void populatePoolRecognisers(mlir::RewritePatternSet &patterns);
void populatePadRecognisers(mlir::RewritePatternSet &patterns);
void populateAverageRecognisers(mlir::RewritePatternSet &patterns);
void populatePermuteRecognisers(mlir::RewritePatternSet &patterns);
void populateGatherRecognisers(mlir::RewritePatternSet &patterns);
void populateConcatRecognisers(mlir::RewritePatternSet &patterns);
void populateNormRecognisers(mlir::RewritePatternSet &patterns);
void populateLinearRecognisers(mlir::RewritePatternSet &patterns);
/// Puts element-wise operations into a simple form: splat operands become
/// constants of the body.
void populateElementwiseSimplifications(mlir::RewritePatternSet &patterns);

bool isZero(mlir::Attribute value);
bool isNegativeInfinity(mlir::Attribute value);

/// A vector (C) that `tensor` repeats along axis 1 of all its elements, or
/// null: `linalg.broadcast` or a generic that yields its only input.
mlir::Value getBroadcastChannels(mlir::Value tensor, int64_t axis = 1);

/// The vector (C) behind an operand that an element-wise operation of `rank`
/// loops reads through `map` along loop 1 only: (C), (C, 1, 1) or (1, C, 1, 1).
/// Null where it is something else.
mlir::Value getChannelVector(mlir::Value operand, mlir::AffineMap map,
                             int64_t rank);

/// An element-wise generic whose body is one operation `OpT` on its two inputs
/// in order; only the first input needs to have the full shape.
struct BinaryGeneric {
  mlir::linalg::GenericOp op;
  mlir::Value lhs, rhs;
  mlir::AffineMap lhsMap, rhsMap;
};
mlir::FailureOr<BinaryGeneric> matchBinary(mlir::Value value,
                                           llvm::StringRef opName);

/// 1 / sqrt(variance + epsilon).
mlir::LogicalResult matchInverseDeviation(const Expression &factor,
                                          Expression &variance,
                                          double &epsilon);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_RECOGNISERS_H
