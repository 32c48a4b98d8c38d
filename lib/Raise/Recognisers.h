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
void populateConvTransposeRecognisers(mlir::RewritePatternSet &patterns);
void populateShuffleRecognisers(mlir::RewritePatternSet &patterns);
void populateConcatRecognisers(mlir::RewritePatternSet &patterns);
void populateNormRecognisers(mlir::RewritePatternSet &patterns);
void populateLinearRecognisers(mlir::RewritePatternSet &patterns);
/// Formulas of many operations, to be applied to the last one of each first:
/// its parts can look like a whole.
void populateResizeRecognisers(mlir::RewritePatternSet &patterns);
void populateSoftmaxRecognisers(mlir::RewritePatternSet &patterns);
void populateStatisticNormRecognisers(mlir::RewritePatternSet &patterns);
/// Activations, after everything else: other formulas look through them.
void populateActivationRecognisers(mlir::RewritePatternSet &patterns);
/// Puts element-wise operations into a simple form: splat operands become
/// constants of the body.
void populateElementwiseSimplifications(mlir::RewritePatternSet &patterns);

bool isZero(mlir::Attribute value);
/// What a conversion to a wider float converts; any other value itself.
mlir::Value skipExtension(mlir::Value value);
bool isNegativeInfinity(mlir::Attribute value);

/// 1 / sqrt(variance + epsilon).
mlir::LogicalResult matchInverseDeviation(const Expression &factor,
                                          Expression &variance,
                                          double &epsilon);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_RECOGNISERS_H
