//===- RaisePool.cpp - pools and reductions over all pixels -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Recognisers.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

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

/// The maximum or sum of the element (argument 0) and the result so far (the
/// last argument).
static std::optional<PoolKind> getCombiner(Block &body) {
  Operation *op = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp>(op) ||
      !llvm::all_of(body.without_terminator(), [op](Operation &inner) {
        return &inner == op || isa<arith::ExtFOp>(inner);
      }))
    return std::nullopt;
  Value element = body.getArgument(0), before = body.getArguments().back();
  Value a = skipExtension(op->getOperand(0)),
        b = skipExtension(op->getOperand(1));
  if (!(a == element && b == before) && !(a == before && b == element))
    return std::nullopt;
  return isa<arith::AddFOp>(op) ? PoolKind::sum : PoolKind::max;
}

static bool isNeutral(PoolKind kind, TypedAttr value) {
  return kind == PoolKind::max ? isNegativeInfinity(value) : isZero(value);
}

/// One element type, a floating-point one, and the operation starts from
/// nothing.
static std::optional<PoolKind> matchReduction(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1)
    return std::nullopt;
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<PoolKind> kind = getCombiner(*op.getBlock());
  if (!kind || !input || !isa<FloatType>(input.getElementType()) ||
      !isSumType(result.getElementType(), input.getElementType()) ||
      (*kind == PoolKind::max &&
       result.getElementType() != input.getElementType()) ||
      !isNeutral(*kind, getFillValue(op.getDpsInits()[0])))
    return std::nullopt;
  return kind;
}

namespace {
/// A pool by the roles of its loops, whatever the order of its axes.
struct RaisePool : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 2 || !linalg::isaConvolutionOpInterface(op))
      return failure();
    FailureOr<linalg::ConvolutionDimensions> dims =
        linalg::inferConvolutionDims(op);
    if (failed(dims) || dims->batch.size() != 2 || !dims->depth.empty() ||
        !dims->outputChannel.empty() || !dims->inputChannel.empty() ||
        dims->outputImage.empty() || dims->outputImage.size() > 3 ||
        dims->outputImage.size() != dims->filterLoop.size() ||
        !areForward(dims->strides) || !areForward(dims->dilations))
      return failure();
    std::optional<PoolKind> kind = matchReduction(op);
    if (!kind)
      return rewriter.notifyMatchFailure(op, "is no sum or maximum");
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<int64_t> input, result, window;
    for (ArrayRef<unsigned> loops : {ArrayRef<unsigned>(dims->batch),
                                     ArrayRef<unsigned>(dims->outputImage)})
      for (unsigned loop : loops) {
        input.push_back(findAxis(maps[0], loop));
        result.push_back(findAxis(maps[2], loop));
      }
    auto windowType = cast<RankedTensorType>(op->getOperand(1).getType());
    for (unsigned loop : dims->filterLoop) {
      int64_t axis = findAxis(maps[1], loop);
      if (axis < 0 || windowType.isDynamicDim(axis) ||
          windowType.getDimSize(axis) == 0)
        return failure();
      window.push_back(windowType.getDimSize(axis));
    }
    if (!isPermutationVector(input) || !isPermutationVector(result) ||
        input.size() != maps[0].getNumResults() ||
        result.size() != maps[2].getNumResults())
      return failure();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value pool =
        createPool(rewriter, loc, permuteType(type, result), *kind,
                   permuteAxes(rewriter, loc, op->getOperand(0), input), window,
                   dims->strides, dims->dilations);
    rewriter.replaceOp(
        op, permuteAxes(rewriter, loc, pool, invertPermutationVector(result)));
    return success();
  }
};

/// The sum or maximum over all axes but two, the first of which is kept first:
/// a pool over all pixels, with a window of the size of the image.
struct RaiseReduction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 1 || op.getNumLoops() < 3 ||
        op.getNumLoops() > 5 || op.getNumParallelLoops() != 2)
      return failure();
    std::optional<PoolKind> kind = matchReduction(op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (!kind || !maps[0].isIdentity())
      return failure();
    // Kept loops first, in their order; all results run with them in order.
    SmallVector<int64_t> order, reduced, kept;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      (iterator == utils::IteratorType::parallel ? kept : reduced)
          .push_back(loop);
    order = kept;
    order.append(reduced);
    bool keepsAxes = maps[1].getNumResults() == op.getNumLoops();
    if (!keepsAxes && (maps[1].getNumResults() != 2 || op.getNumLoops() < 4))
      return failure();
    for (auto [i, expr] : llvm::enumerate(maps[1].getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      int64_t expected = keepsAxes ? int64_t(i) : kept[i];
      bool isReduced = llvm::is_contained(reduced, expected);
      if (isReduced ? expr != rewriter.getAffineConstantExpr(0)
                    : !dim || int64_t(dim.getPosition()) != expected)
        return failure();
    }
    auto inputType = cast<RankedTensorType>(op->getOperand(0).getType());
    SmallVector<int64_t> window;
    for (int64_t axis : reduced)
      window.push_back(inputType.getDimSize(axis));
    if (llvm::any_of(window, ShapedType::isDynamic) ||
        llvm::is_contained(window, 0))
      return failure();
    rewriter.replaceOp(op,
                       build(op, *kind, order, window, keepsAxes, rewriter));
    return success();
  }

private:
  static Value build(linalg::LinalgOp op, PoolKind kind,
                     ArrayRef<int64_t> order, ArrayRef<int64_t> window,
                     bool keepsAxes, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto inputType = cast<RankedTensorType>(op->getOperand(0).getType());
    SmallVector<int64_t> shape(
        permuteType(inputType, order).getShape().take_front(2));
    shape.append(window.size(), 1);
    SmallVector<int64_t> ones(window.size(), 1);
    Value pool = createPool(
        rewriter, loc, RankedTensorType::get(shape, inputType.getElementType()),
        kind, permuteAxes(rewriter, loc, op->getOperand(0), order), window,
        ones, ones);
    if (keepsAxes)
      return permuteAxes(rewriter, loc, pool, invertPermutationVector(order));
    ReassociationIndices last =
        llvm::to_vector<2>(llvm::seq<int64_t>(1, shape.size()));
    return tensor::CollapseShapeOp::create(
        rewriter, loc, pool, ArrayRef<ReassociationIndices>{{0}, last});
  }
};
} // namespace

void memfmt::populatePoolRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaisePool, RaiseReduction>(patterns.getContext());
}
