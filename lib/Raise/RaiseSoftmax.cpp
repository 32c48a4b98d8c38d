//===- RaiseSoftmax.cpp - softmax as exponentials and sums ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// exp(x - max(x)) / sum(exp(x - max(x))) along one axis; the maximum may come
// with its place as a second result.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"
#include "Reductions.h"

using namespace mlir;
using namespace memfmt;

namespace {
struct RaiseSoftmax : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Expression quotient = Expression::ofElement(op.getResult(0));
    if (!quotient.getOp<arith::DivFOp>())
      return failure();
    Expression exponential = quotient.getOperand(0);
    Value numerator = exponential.getIdentityTensor();
    if (!numerator || !exponential.getOp<math::ExpOp>())
      return failure();
    FailureOr<Reduction> sum =
        matchReduction(quotient.getOperand(1), type.getRank());
    if (failed(sum) || sum->kind != Reduction::sum || sum->input != numerator ||
        sum->axes.size() != 1)
      return failure();
    Expression difference = exponential.getOperand(0);
    if (!difference.getOp<arith::SubFOp>())
      return failure();
    Value input = difference.getOperand(0).getIdentityTensor();
    FailureOr<Reduction> maximum =
        matchReduction(difference.getOperand(1), type.getRank());
    if (!input || failed(maximum) || maximum->kind != Reduction::max ||
        maximum->input != input || maximum->axes != sum->axes ||
        input.getType() != type)
      return failure();
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, type, input, sum->axes.front(),
                                           /*log=*/false);
    return success();
  }
};
} // namespace

void memfmt::populateSoftmaxRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax>(patterns.getContext());
}
