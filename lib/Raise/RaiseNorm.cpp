//===- RaiseNorm.cpp - batch normalisation ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// (x - mean) * 1 / sqrt(variance + epsilon) * scale + offset, over any number
// of element-wise operations, the factors in any order.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

/// `variance + epsilon`, in either order.
static LogicalResult matchShiftedVariance(const Expression &sum,
                                          Expression &variance,
                                          double &epsilon) {
  if (!sum.getOp<arith::AddFOp>())
    return failure();
  for (unsigned i : {0, 1}) {
    FailureOr<double> value = sum.getOperand(1 - i).getConstantDouble();
    if (failed(value))
      continue;
    epsilon = *value;
    variance = sum.getOperand(i);
    return success();
  }
  return failure();
}

static LogicalResult matchDeviation(const Expression &factor,
                                    Expression &variance, double &epsilon) {
  if (factor.getOp<math::RsqrtOp>()) {
    // Constants may have been added already.
    variance = factor.getOperand(0);
    epsilon = 0;
    if (variance.getConstant())
      return success();
    return matchShiftedVariance(factor.getOperand(0), variance, epsilon);
  }
  if (!factor.getOp<arith::DivFOp>())
    return failure();
  FailureOr<double> one = factor.getOperand(0).getConstantDouble();
  Expression root = factor.getOperand(1);
  if (failed(one) || *one != 1.0 || !root.getOp<math::SqrtOp>())
    return failure();
  return matchShiftedVariance(root.getOperand(0), variance, epsilon);
}

LogicalResult memfmt::matchInverseDeviation(const Expression &factor,
                                            Expression &variance,
                                            double &epsilon) {
  // A negative number beside the variance is no epsilon.
  return success(succeeded(matchDeviation(factor, variance, epsilon)) &&
                 epsilon >= 0);
}

namespace {
/// The parts of a normalisation, as they are read.
struct Parts {
  Expression centred, variance, scale, offset;
  double epsilon = 0;
};
} // namespace

/// The factors of the product: one is the centred input, one the inverse
/// deviation, one the scale.
static LogicalResult matchProduct(const Expression &product, Parts &parts) {
  SmallVector<Expression> factors;
  collectFactors(product, factors);
  bool hasCentred = false, hasDeviation = false, hasScale = false;
  for (const Expression &factor : factors) {
    if (!hasDeviation && succeeded(matchInverseDeviation(factor, parts.variance,
                                                         parts.epsilon))) {
      hasDeviation = true;
    } else if (!hasCentred && factor.getOp<arith::SubFOp>() &&
               factor.getOperand(0).getIdentityTensor()) {
      hasCentred = true;
      parts.centred = factor;
    } else if (!hasScale) {
      hasScale = true;
      parts.scale = factor;
    } else {
      return failure();
    }
  }
  return success(hasCentred && hasDeviation && hasScale);
}

namespace {
struct RaiseBatchNorm : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() < 2 || type.isDynamicDim(1) ||
        !isa<FloatType>(type.getElementType()))
      return failure();
    Expression sum = Expression::ofElement(op.getResult(0));
    if (!sum.getOp<arith::AddFOp>())
      return failure();
    for (unsigned i : {0, 1}) {
      Parts parts;
      parts.offset = sum.getOperand(1 - i);
      if (succeeded(matchProduct(sum.getOperand(i), parts)) &&
          succeeded(rewrite(op, type, parts, rewriter)))
        return success();
    }
    return failure();
  }

private:
  static LogicalResult rewrite(linalg::GenericOp op, RankedTensorType type,
                               const Parts &parts, PatternRewriter &rewriter);
};
} // namespace

LogicalResult RaiseBatchNorm::rewrite(linalg::GenericOp op,
                                      RankedTensorType type, const Parts &parts,
                                      PatternRewriter &rewriter) {
  Value input = parts.centred.getOperand(0).getIdentityTensor();
  if (input.getType() != type || parts.centred.isShared())
    return failure();
  SmallVector<ChannelOperand> operands;
  for (const Expression &part : {parts.centred.getOperand(1), parts.variance,
                                 parts.scale, parts.offset}) {
    FailureOr<ChannelOperand> operand =
        matchChannelOperand(part, 1, type.getDimSize(1));
    if (failed(operand) || operand->getElementType() != type.getElementType())
      return failure();
    operands.push_back(*operand);
  }
  SmallVector<Value> vectors;
  for (const ChannelOperand &operand : operands)
    vectors.push_back(operand.createVector(rewriter, op.getLoc()));
  rewriter.replaceOpWithNewOp<BatchNormOp>(
      op, type, input, vectors[0], vectors[1], vectors[2], vectors[3],
      rewriter.getF64FloatAttr(parts.epsilon));
  return success();
}

void memfmt::populateNormRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseBatchNorm>(patterns.getContext());
}
