//===- RaiseTosaPool.cpp - pools, reductions, products of TOSA --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Tosa.h"

#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memfmt;

/// Whether both are images of one floating-point type.
static bool isPlain(Value input, Value output) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  auto result = dyn_cast<RankedTensorType>(output.getType());
  return type && result && isa<FloatType>(type.getElementType()) &&
         type.getElementType() == result.getElementType();
}

template <typename OpT>
static void replaceByPool(OpT op, PoolKind kind, bool excludePad,
                          PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  SmallVector<int64_t> ones(op.getKernel().size(), 1);
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  auto pool = PoolOp::create(rewriter, loc, getChannelsFirstType(type), kind,
                             putChannelsFirst(rewriter, loc, op.getInput()),
                             ValueRange(), op.getKernel(), op.getStride(),
                             getPaddingSide(op.getPad(), 0),
                             getPaddingSide(op.getPad(), 1), ones, excludePad);
  rewriter.replaceOp(op, putChannelsLast(rewriter, loc, pool.getResult()));
}

namespace {
struct RaiseTosaMaxPool : OpRewritePattern<tosa::MaxPool2dOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::MaxPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op.getInput(), op.getOutput()) ||
        op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return rewriter.notifyMatchFailure(op, "drops NaN or is quantized");
    replaceByPool(op, PoolKind::max, /*excludePad=*/false, rewriter);
    return success();
  }
};

/// TOSA divides by the number of pixels under the window, padding left out.
struct RaiseTosaAvgPool : OpRewritePattern<tosa::AvgPool2dOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::AvgPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op.getInput(), op.getOutput()) ||
        !isZeroConstant(op.getInputZp()) || !isZeroConstant(op.getOutputZp()))
      return rewriter.notifyMatchFailure(op, "is quantized");
    bool padded =
        llvm::any_of(op.getPad(), [](int64_t size) { return size != 0; });
    replaceByPool(op, PoolKind::avg, /*excludePad=*/padded, rewriter);
    return success();
  }
};

/// Sums over one axis after the other, in the end over all but the batch and
/// one more: a pool whose window is the image.
struct RaiseTosaSum : OpRewritePattern<tosa::ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ReduceSumOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op.getInput(), op.getOutput()))
      return failure();
    auto type = cast<RankedTensorType>(op.getInput().getType());
    int64_t rank = type.getRank();
    if (rank < 3 || rank > 5)
      return failure();
    SmallVector<int64_t> axes;
    Value image = op.getOutput();
    while (auto sum = image.getDefiningOp<tosa::ReduceSumOp>()) {
      if ((sum != op && !sum->hasOneUse()) ||
          llvm::is_contained(axes, int64_t(sum.getAxis())))
        break;
      axes.push_back(sum.getAxis());
      image = sum.getInput();
    }
    if (int64_t(axes.size()) != rank - 2 || llvm::is_contained(axes, 0))
      return failure();
    llvm::sort(axes);
    auto imageType = cast<RankedTensorType>(image.getType());
    SmallVector<int64_t> order, window, ones(rank - 2, 1), zeros(rank - 2, 0);
    for (int64_t axis = 0; axis < rank; ++axis)
      if (!llvm::is_contained(axes, axis))
        order.push_back(axis);
    order.append(axes);
    for (int64_t axis : axes) {
      window.push_back(imageType.getDimSize(axis));
      if (window.back() <= 0)
        return failure();
    }
    Location loc = op.getLoc();
    auto result = cast<RankedTensorType>(op.getType());
    auto pool =
        PoolOp::create(rewriter, loc, permuteType(result, order), PoolKind::sum,
                       transposeTosa(rewriter, loc, image, order), ValueRange(),
                       window, ones, zeros, zeros, ones, /*exclude_pad=*/false);
    rewriter.replaceOp(op, transposeTosa(rewriter, loc, pool.getResult(),
                                         invertPermutationVector(order)));
    return success();
  }
};

/// A product in a batch of one is a product of matrices; memfmt-raise makes
/// linear layers of these.
struct RaiseTosaMatmul : OpRewritePattern<tosa::MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::MatMulOp op,
                                PatternRewriter &rewriter) const override {
    auto a = dyn_cast<RankedTensorType>(op.getA().getType());
    auto b = dyn_cast<RankedTensorType>(op.getB().getType());
    if (!isPlain(op.getA(), op.getOutput()) || !b || !a.hasStaticShape() ||
        !b.hasStaticShape() || a.getElementType() != b.getElementType() ||
        a.getDimSize(0) != 1 || !isZeroConstant(op.getAZp()) ||
        !isZeroConstant(op.getBZp()))
      return failure();
    Location loc = op.getLoc();
    auto type = RankedTensorType::get({a.getDimSize(1), b.getDimSize(2)},
                                      a.getElementType());
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    Value start =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    Value product = linalg::MatmulOp::create(
                        rewriter, loc, type,
                        ValueRange{dropAxis(rewriter, loc, op.getA(), 0),
                                   dropAxis(rewriter, loc, op.getB(), 0)},
                        ValueRange{start})
                        .getResult(0);
    rewriter.replaceOp(op, insertAxis(rewriter, loc, product, 0));
    return success();
  }
};
} // namespace

void memfmt::populateTosaPoolPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaMaxPool, RaiseTosaAvgPool, RaiseTosaSum>(
      patterns.getContext());
}

void memfmt::populateTosaMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaMatmul>(patterns.getContext());
}
