//===- RaiseLinear.cpp - linear layers --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

/// (K, N) as (N, K): the source of a transpose, or a transpose.
static Value turn(PatternRewriter &rewriter, Location loc, Value matrix) {
  if (auto transpose = matrix.getDefiningOp<linalg::TransposeOp>())
    return transpose.getInput();
  auto type = cast<RankedTensorType>(matrix.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef<int64_t>{type.getDimSize(1), type.getDimSize(0)},
      type.getElementType());
  return linalg::TransposeOp::create(rewriter, loc, matrix, empty,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

namespace {
struct RaiseMatmul : OpRewritePattern<linalg::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps() ||
        !isZero(getFillValue(op.getOutputs()[0])))
      return failure();
    Value input = op.getInputs()[0], weights = op.getInputs()[1];
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto weightType = cast<RankedTensorType>(weights.getType());
    auto inputType = cast<RankedTensorType>(input.getType());
    if (!weightType.hasStaticShape() ||
        !isa<FloatType>(inputType.getElementType()) ||
        weightType.getElementType() != inputType.getElementType() ||
        !isSumType(type.getElementType(), inputType.getElementType()))
      return failure();
    rewriter.replaceOpWithNewOp<LinearOp>(op, type, input,
                                          turn(rewriter, op.getLoc(), weights),
                                          Value(), ValueRange());
    return success();
  }
};

/// A sum with a repeated row is the bias.
struct RaiseBias : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Expression sum = Expression::ofElement(op.getResult(0));
    if (type.getRank() != 2 || type.isDynamicDim(1) ||
        !sum.getOp<arith::AddFOp>())
      return failure();
    for (unsigned i : {0, 1}) {
      Value product = sum.getOperand(i).getIdentityTensor();
      auto linear = product ? product.getDefiningOp<LinearOp>() : LinearOp();
      if (!linear || linear.getBias() || !linear->hasOneUse() ||
          !linear.getEpilogue().empty() || linear.getResult().getType() != type)
        continue;
      FailureOr<ChannelOperand> bias = matchChannelOperand(
          sum.getOperand(1 - i), /*axis=*/1, type.getDimSize(1));
      if (failed(bias) || bias->getElementType() != type.getElementType())
        continue;
      Value vector = bias->createVector(rewriter, op.getLoc());
      rewriter.replaceOpWithNewOp<LinearOp>(op, type, linear.getInput(),
                                            linear.getFilter(), vector,
                                            ValueRange());
      return success();
    }
    return failure();
  }
};
} // namespace

void memfmt::populateLinearRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseMatmul, RaiseBias>(patterns.getContext());
}
