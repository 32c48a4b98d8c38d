//===- RaiseConv.cpp - convolutions -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// Loops of a convolution by role, in the order of the spatial axes.
struct Roles {
  linalg::ConvolutionDimensions dims;
  SmallVector<AffineMap> maps;
};
} // namespace

/// The loop behind each result of a map; -1 for a sum of loops.
static SmallVector<int64_t> getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? int64_t(dim.getPosition()) : int64_t(-1);
  });
}

/// The roles where the tensors are ordered (batch, [group,] channel,
/// spatial...),
/// ([group,] filter, [channel,] window...) and (batch, [group,] [filter,]
/// spatial...): the row-major named operations and whatever is like them.
static FailureOr<Roles> getRoles(linalg::LinalgOp op) {
  if (!linalg::isaConvolutionOpInterface(op))
    return failure();
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims) || dims->batch.size() != 1 || dims->depth.size() > 1 ||
      dims->outputChannel.size() > 1 || dims->inputChannel.size() > 1 ||
      dims->outputImage.empty() || dims->outputImage.size() > 3 ||
      dims->outputImage.size() != dims->filterLoop.size() ||
      (dims->depth.empty() && dims->outputChannel.empty()) ||
      dims->outputChannel.size() != dims->inputChannel.size())
    return failure();
  Roles roles{*dims, op.getIndexingMapsArray()};
  auto list = [](std::initializer_list<ArrayRef<unsigned>> parts) {
    SmallVector<int64_t> loops;
    for (ArrayRef<unsigned> part : parts)
      loops.append(part.begin(), part.end());
    return loops;
  };
  SmallVector<int64_t> input =
      list({dims->batch, dims->depth, dims->inputChannel});
  input.append(dims->outputImage.size(), -1);
  SmallVector<int64_t> window = getLoops(roles.maps[0]);
  // A window of size 1 may be written without a sum.
  for (size_t i = 0, e = dims->outputImage.size(); i < e; ++i) {
    AffineExpr expr =
        roles.maps[0].getResult(roles.maps[0].getNumResults() - e + i);
    if (!expr.isFunctionOfDim(dims->outputImage[i]) ||
        !expr.isFunctionOfDim(dims->filterLoop[i]))
      return failure();
  }
  if (window != input ||
      getLoops(roles.maps[1]) != list({dims->depth, dims->outputChannel,
                                       dims->inputChannel, dims->filterLoop}) ||
      getLoops(roles.maps[2]) != list({dims->batch, dims->depth,
                                       dims->outputChannel, dims->outputImage}))
    return failure();
  return roles;
}

/// Joins axes `axis` and `axis + 1`.
static Value joinAxes(PatternRewriter &rewriter, Location loc, Value value,
                      int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == axis + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return tensor::CollapseShapeOp::create(rewriter, loc, value, groups);
}

/// Splits axis `axis` into the axes `axis` and `axis + 1` of `type`.
static Value splitAxis(PatternRewriter &rewriter, Location loc, Value value,
                       RankedTensorType type, int64_t axis) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == axis + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return tensor::ExpandShapeOp::create(rewriter, loc, type, value, groups);
}

namespace {
struct RaiseConv : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumOperands() != 3 ||
        op->getNumResults() != 1)
      return failure();
    FailureOr<Roles> roles = getRoles(op);
    if (failed(roles))
      return failure();
    auto types = llvm::map_to_vector(op->getOperands(), [](Value value) {
      return cast<RankedTensorType>(value.getType());
    });
    for (RankedTensorType type : types)
      if (type.getElementType() != types[0].getElementType() ||
          !isa<FloatType>(type.getElementType()))
        return rewriter.notifyMatchFailure(op, "element types differ");
    // Groups join and split static axes.
    bool grouped = !roles->dims.depth.empty();
    if (grouped && (types[0].isDynamicDim(1) || types[1].isDynamicDim(0)))
      return failure();
    Value bias;
    Value init = op->getOperand(2);
    if (!isZero(getFillValue(init))) {
      bias = getBroadcastChannels(init);
      if (!bias || grouped)
        return rewriter.notifyMatchFailure(op, "starts from no bias");
    }
    rewriter.replaceOp(op, build(op, *roles, bias, rewriter));
    return success();
  }

private:
  static Value build(linalg::LinalgOp op, const Roles &roles, Value bias,
                     PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Value input = op->getOperand(0), filter = op->getOperand(1);
    auto original = cast<RankedTensorType>(op->getResult(0).getType());
    RankedTensorType type = original;
    int64_t groups = 1;
    bool split = false;
    if (!roles.dims.depth.empty()) {
      groups = cast<RankedTensorType>(filter.getType()).getDimSize(0);
      if (roles.dims.outputChannel.empty()) {
        // Depthwise: (C, window...) becomes (C, 1, window...).
        auto flat = cast<RankedTensorType>(filter.getType());
        SmallVector<int64_t> shape(flat.getShape());
        shape.insert(shape.begin() + 1, 1);
        filter =
            splitAxis(rewriter, loc, filter,
                      RankedTensorType::get(shape, flat.getElementType()), 0);
      } else {
        split = true;
        input = joinAxes(rewriter, loc, input, 1);
        filter = joinAxes(rewriter, loc, filter, 0);
        SmallVector<int64_t> shape(original.getShape());
        shape[1] *= shape[2];
        shape.erase(shape.begin() + 2);
        type = RankedTensorType::get(shape, original.getElementType());
      }
    }
    ArrayRef<int64_t> strides = roles.dims.strides,
                      dilations = roles.dims.dilations;
    SmallVector<int64_t> none(strides.size(), 0);
    auto conv =
        ConvOp::create(rewriter, loc, type, input, filter, bias, ValueRange(),
                       strides, none, none, dilations, groups);
    if (!split)
      return conv.getResult();
    return splitAxis(rewriter, loc, conv.getResult(), original, 1);
  }
};

/// Constant padding of the spatial axes, static on both sides.
struct SpatialPadding {
  SmallVector<int64_t> low, high;
};
} // namespace

static FailureOr<SpatialPadding> getSpatialPadding(tensor::PadOp pad) {
  auto low = getConstantIntValues(pad.getMixedLowPad());
  auto high = getConstantIntValues(pad.getMixedHighPad());
  if (!low || !high || pad.getNofold() || low->size() < 3)
    return failure();
  for (int64_t axis : {0, 1})
    if ((*low)[axis] != 0 || (*high)[axis] != 0)
      return failure();
  return SpatialPadding{SmallVector<int64_t>(llvm::drop_begin(*low, 2)),
                        SmallVector<int64_t>(llvm::drop_begin(*high, 2))};
}

static Attribute getPaddingValue(tensor::PadOp pad) {
  Attribute value;
  if (Value padding = pad.getConstantPaddingValue())
    matchPattern(padding, m_Constant(&value));
  return value;
}

namespace {
/// Padding before an operation becomes its own padding, where it reads as what
/// the operation pads with.
template <typename OpT> struct FoldPad : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<tensor::PadOp>();
    if (!pad || !readsAs(op, getPaddingValue(pad)))
      return failure();
    FailureOr<SpatialPadding> padding = getSpatialPadding(pad);
    if (failed(padding))
      return failure();
    auto sum = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
      return llvm::map_to_vector(llvm::zip_equal(a, b), [](auto pair) {
        return std::get<0>(pair) + std::get<1>(pair);
      });
    };
    rewriter.modifyOpInPlace(op, [&] {
      op.setPadLow(sum(op.getPadLow(), padding->low));
      op.setPadHigh(sum(op.getPadHigh(), padding->high));
      op.getInputMutable().assign(pad.getSource());
    });
    return success();
  }

private:
  static bool readsAs(ConvOp, Attribute value) { return isZero(value); }
  static bool readsAs(PoolOp pool, Attribute value) {
    if (pool.getKind() == PoolKind::max)
      return isNegativeInfinity(value);
    // An average without padding does not care how it would count it.
    return isZero(value) && !pool.getExcludePad();
  }
};
} // namespace

void memfmt::populateConvRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseConv, FoldPad<ConvOp>, FoldPad<PoolOp>>(
      patterns.getContext());
}
