//===- RaiseTosaTranspose.cpp - transpositions of TOSA meet -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Tosa.h"

using namespace mlir;
using namespace memfmt;

static SmallVector<int64_t> getPermutation(tosa::TransposeOp op) {
  return SmallVector<int64_t>(op.getPerms());
}

namespace {
/// Two in a row are one or none.
struct ComposeTransposes : OpRewritePattern<tosa::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput1().getDefiningOp<tosa::TransposeOp>();
    if (!before || !isa<RankedTensorType>(before.getInput1().getType()))
      return failure();
    SmallVector<int64_t> inner = getPermutation(before), composed;
    for (int64_t axis : getPermutation(op))
      composed.push_back(inner[axis]);
    Value result =
        transposeTosa(rewriter, op.getLoc(), before.getInput1(), composed);
    if (result.getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A slice of a transposed image is a transposed slice, where all readers turn
/// it back.
struct MoveThroughSlice : OpRewritePattern<tosa::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput1().getDefiningOp<tosa::TransposeOp>();
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!before || !type || !type.hasStaticShape() ||
        !llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<tosa::TransposeOp, tosa::SliceOp>(user);
        }))
      return failure();
    FailureOr<SmallVector<int64_t>> start = getConstantShape(op.getStart());
    if (failed(start))
      return failure();
    SmallVector<int64_t> permutation = getPermutation(before);
    SmallVector<int64_t> inverse = invertPermutationVector(permutation);
    SmallVector<int64_t> offsets = applyPermutation(*start, inverse);
    RankedTensorType sliced = permuteType(type, inverse);
    auto shape = [&](ArrayRef<int64_t> sizes) -> Value {
      return tosa::ConstShapeOp::create(
          rewriter, op.getLoc(),
          tosa::shapeType::get(op.getContext(), sizes.size()),
          rewriter.getIndexTensorAttr(sizes));
    };
    Value slice =
        tosa::SliceOp::create(rewriter, op.getLoc(), sliced, before.getInput1(),
                              shape(offsets), shape(sliced.getShape()));
    rewriter.replaceOp(
        op, transposeTosa(rewriter, op.getLoc(), slice, permutation));
    return success();
  }
};
} // namespace

void memfmt::populateTosaTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeTransposes, MoveThroughSlice>(patterns.getContext());
}
