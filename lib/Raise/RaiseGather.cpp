//===- RaiseGather.cpp - gathers that move nothing --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers write views (`as_strided`, `index`) as gathers. Where each element
// of the result is the one with the same indices, the gather is its source.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"
#include "ScalarEvaluator.h"

using namespace mlir;
using namespace memfmt;

/// Gathers above this size are not evaluated.
static constexpr int64_t kMaxEvaluated = 1 << 16;

namespace {
struct RemoveIdentityGather : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto extract = op.getBody()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<tensor::ExtractOp>();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!extract || extract->getBlock() != op.getBody() ||
        extract.getTensor().getType() != type || !type.hasStaticShape() ||
        type.getNumElements() > kMaxEvaluated)
      return failure();
    ScalarEvaluator evaluator;
    SmallVector<int64_t> loops(type.getRank());
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
      int64_t rest = i;
      for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
        loops[axis] = rest % type.getDimSize(axis);
        rest /= type.getDimSize(axis);
      }
      for (auto [index, loop] : llvm::zip_equal(extract.getIndices(), loops))
        if (getInteger(evaluator.evaluate(index, op, loops)) != loop)
          return failure();
    }
    rewriter.replaceOp(op, extract.getTensor());
    return success();
  }
};
} // namespace

void memfmt::populateGatherRecognisers(RewritePatternSet &patterns) {
  patterns.add<RemoveIdentityGather>(patterns.getContext());
}
