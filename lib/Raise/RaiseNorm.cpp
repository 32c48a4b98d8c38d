//===- RaiseNorm.cpp - batch normalisation ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

/// A vector operation with one input whose body yields `OpT` of it; returns the
/// operation of the body.
template <typename OpT> static OpT matchVectorBody(Value vector, Value &input) {
  auto generic = vector.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return {};
  Block &body = *generic.getBody();
  auto op = body.getTerminator()->getOperand(0).getDefiningOp<OpT>();
  if (!op || op->getBlock() != &body ||
      op->getOperand(0) != body.getArgument(0))
    return {};
  input = generic.getInputs()[0];
  return op;
}

/// A floating-point constant, possibly narrowed from another type.
static FailureOr<double> matchScalar(Value value) {
  if (auto narrow = value.getDefiningOp<arith::TruncFOp>())
    value = narrow.getIn();
  FloatAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return failure();
  return attribute.getValueAsDouble();
}

/// 1 / sqrt(variance + epsilon) on vectors.
static LogicalResult matchInverseDeviation(Value vector, Value &variance,
                                           double &epsilon) {
  Value sum;
  if (!matchVectorBody<math::RsqrtOp>(vector, sum))
    return failure();
  auto add = matchVectorBody<arith::AddFOp>(sum, variance);
  if (!add)
    return failure();
  FailureOr<double> value = matchScalar(add.getRhs());
  if (failed(value))
    return failure();
  epsilon = *value;
  return success();
}

namespace {
/// (x - mean) * inverse deviation * scale + offset, one operation each.
struct RaiseBatchNorm : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1)
      return failure();
    Value vectors[4], value = op.getResult(0); // offset, scale, deviation, mean
    const char *names[] = {"arith.addf", "arith.mulf", "arith.mulf",
                           "arith.subf"};
    for (int i = 0; i < 4; ++i) {
      FailureOr<BinaryGeneric> step = matchBinary(value, names[i]);
      if (failed(step) || !step->lhsMap.isIdentity() ||
          (i > 0 && !step->op->hasOneUse()))
        return failure();
      vectors[i] =
          getChannelVector(step->rhs, step->rhsMap, step->op.getNumLoops());
      if (!vectors[i] || vectors[i].getType() != vectors[0].getType())
        return failure();
      value = step->lhs;
    }
    Value variance;
    double epsilon;
    if (value.getType() != op.getResult(0).getType() ||
        failed(matchInverseDeviation(vectors[2], variance, epsilon)) ||
        variance.getType() != vectors[0].getType())
      return failure();
    rewriter.replaceOpWithNewOp<BatchNormOp>(
        op, op.getResult(0).getType(), value, vectors[3], variance, vectors[1],
        vectors[0], rewriter.getF64FloatAttr(epsilon));
    return success();
  }
};
} // namespace

void memfmt::populateNormRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseBatchNorm>(patterns.getContext());
}
