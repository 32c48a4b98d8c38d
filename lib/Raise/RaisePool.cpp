//===- RaisePool.cpp - pools and reductions over all pixels -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

static Value createPool(PatternRewriter &rewriter, Location loc, Type type,
                        PoolKind kind, Value input, ArrayRef<int64_t> window,
                        ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations) {
  SmallVector<int64_t> none(window.size(), 0);
  return PoolOp::create(rewriter, loc, type, kind, input, ValueRange(), window,
                        strides, none, none, dilations,
                        /*exclude_pad=*/false)
      .getResult();
}

namespace {
/// A named pool of row-major images.
template <typename OpT, PoolKind kind>
struct RaisePool : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    auto window = cast<RankedTensorType>(op.getInputs()[1].getType());
    auto result = cast<RankedTensorType>(op.getResult(0).getType());
    auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
    if (!window.hasStaticShape() || !isa<FloatType>(input.getElementType()) ||
        input.getElementType() != result.getElementType())
      return failure();
    TypedAttr start = getFillValue(op.getOutputs()[0]);
    if (kind == PoolKind::max ? !isNegativeInfinity(start) : !isZero(start))
      return rewriter.notifyMatchFailure(op, "does not start from its neutral");
    auto values = [](DenseIntElementsAttr attribute) {
      return llvm::to_vector(attribute.getValues<int64_t>());
    };
    rewriter.replaceOp(op, createPool(rewriter, op.getLoc(), result, kind,
                                      op.getInputs()[0], window.getShape(),
                                      values(op.getStrides()),
                                      values(op.getDilations())));
    return success();
  }
};

/// The sum over all spatial axes, which stay as axes of size 1.
struct RaiseReduction : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
        op.getNumDpsInits() != 1)
      return failure();
    auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
    auto result = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    int64_t rank = input.getRank();
    if (!result || result.getRank() != rank || rank < 3 || rank > 5 ||
        !isa<FloatType>(input.getElementType()) ||
        input.getElementType() != result.getElementType() ||
        !isSumOfTwo(*op.getBody()) || !isZero(getFillValue(op.getOutputs()[0])))
      return failure();
    SmallVector<AffineExpr> kept = {rewriter.getAffineDimExpr(0),
                                    rewriter.getAffineDimExpr(1)};
    kept.append(rank - 2, rewriter.getAffineConstantExpr(0));
    AffineMap out = AffineMap::get(rank, 0, kept, getContext());
    if (!op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() ||
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)) != out)
      return failure();
    SmallVector<int64_t> window(input.getShape().drop_front(2));
    if (llvm::any_of(window, ShapedType::isDynamic) ||
        llvm::is_contained(window, 0))
      return failure();
    SmallVector<int64_t> ones(rank - 2, 1);
    rewriter.replaceOp(op,
                       createPool(rewriter, op.getLoc(), result, PoolKind::sum,
                                  op.getInputs()[0], window, ones, ones));
    return success();
  }

private:
  static bool isSumOfTwo(Block &body) {
    auto sum =
        body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
    if (!sum || !llvm::hasSingleElement(body.without_terminator()))
      return false;
    Value a = sum.getLhs(), b = sum.getRhs();
    if (a != body.getArgument(0))
      std::swap(a, b);
    return a == body.getArgument(0) && b == body.getArgument(1);
  }
};

/// A sum divided by the size of its window is an average.
struct RaiseAverage : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    Value input;
    FailureOr<double> divisor = matchDivision(op, input);
    if (failed(divisor))
      return failure();
    auto pool = input.getDefiningOp<PoolOp>();
    if (!pool || pool.getKind() != PoolKind::sum || !pool->hasOneUse() ||
        !pool.getEpilogue().empty())
      return failure();
    double area = 1;
    for (int64_t size : pool.getWindow())
      area *= static_cast<double>(size);
    if (area != *divisor)
      return failure();
    rewriter.replaceOpWithNewOp<PoolOp>(
        op, pool.getResult().getType(), PoolKind::avg, pool.getInput(),
        ValueRange(), pool.getWindow(), pool.getStrides(), pool.getPadLow(),
        pool.getPadHigh(), pool.getDilations(), /*exclude_pad=*/false);
    return success();
  }
};
} // namespace

void memfmt::populatePoolRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaisePool<linalg::PoolingNchwMaxOp, PoolKind::max>,
               RaisePool<linalg::PoolingNchwSumOp, PoolKind::sum>,
               RaiseReduction, RaiseAverage>(patterns.getContext());
}
