//===- RaiseTosaConv.cpp - convolutions of TOSA -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Tosa.h"

#include "memfmt/IR/MemFmt.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// What every convolution needs, logical axes in the order of memfmt.
struct Window {
  SmallVector<int64_t> strides, padLow, padHigh, dilations;
  int64_t groups = 1;
};
} // namespace

/// One floating-point type everywhere, summed in it or in f32, and no zero
/// points.
template <typename OpT> static bool isPlain(OpT op) {
  Type element = getElementTypeOrSelf(op.getInput().getType());
  return isa<FloatType>(element) && isSumType(op.getAccType(), element) &&
         llvm::all_of(ValueRange{op.getWeight(), op.getBias(), op.getOutput()},
                      [&](Value value) {
                        return isa<RankedTensorType>(value.getType()) &&
                               getElementTypeOrSelf(value.getType()) == element;
                      }) &&
         isa<RankedTensorType>(op.getInput().getType()) &&
         isZeroConstant(op.getInputZp()) && isZeroConstant(op.getWeightZp());
}

template <typename OpT> static Window getWindow(OpT op) {
  return {SmallVector<int64_t>(op.getStride()), getPaddingSide(op.getPad(), 0),
          getPaddingSide(op.getPad(), 1),
          SmallVector<int64_t>(op.getDilation())};
}

/// The source of slices that only cut pixels off the end which no window would
/// have reached: TOSA wants strides to fit exactly. `filter` is (K, C / groups,
/// window...).
static Value skipTrim(Value input, RankedTensorType filter,
                      RankedTensorType result, const Window &window) {
  while (auto slice = input.getDefiningOp<tosa::SliceOp>()) {
    FailureOr<SmallVector<int64_t>> start = getConstantShape(slice.getStart());
    auto source = dyn_cast<RankedTensorType>(slice.getInput1().getType());
    auto type = cast<RankedTensorType>(slice.getType());
    if (failed(start) || !source ||
        llvm::any_of(*start, [](int64_t offset) { return offset != 0; }) ||
        source.getShape().back() != type.getShape().back() ||
        source.getDimSize(0) != type.getDimSize(0))
      break;
    bool same = true;
    for (size_t i = 0, e = window.strides.size(); i < e; ++i) {
      int64_t size = source.getDimSize(i + 1);
      if (size == type.getDimSize(i + 1))
        continue;
      int64_t covered =
          window.dilations[i] * (filter.getDimSize(i + 2) - 1) + 1;
      same &= !ShapedType::isDynamic(size) && window.padHigh[i] == 0 &&
              (size + window.padLow[i] - covered) / window.strides[i] + 1 ==
                  result.getDimSize(i + 1);
    }
    if (!same)
      break;
    input = slice.getInput1();
  }
  return input;
}

/// Replaces `op` by a convolution of `input` (channels last) with `filter`
/// (K, C / groups, window...).
static void replaceByConv(Operation *op, Value input, Value filter, Value bias,
                          const Window &window, PatternRewriter &rewriter) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  input =
      skipTrim(input, cast<RankedTensorType>(filter.getType()), type, window);
  if (bias && isZeroConstant(bias))
    bias = {};
  auto conv = ConvOp::create(rewriter, loc, getChannelsFirstType(type),
                             putChannelsFirst(rewriter, loc, input), filter,
                             bias, ValueRange(), window.strides, window.padLow,
                             window.padHigh, window.dilations, window.groups);
  rewriter.replaceOp(op, putChannelsLast(rewriter, loc, conv.getResult()));
}

/// A bias of one element stands for all filters.
static bool hasBiasPerFilter(Value bias, int64_t filters) {
  return isZeroConstant(bias) ||
         cast<RankedTensorType>(bias.getType()).getDimSize(0) == filters;
}

namespace {
/// (O, window..., I) filters.
template <typename OpT> struct RaiseTosaConv : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op))
      return rewriter.notifyMatchFailure(op, "is quantized or mixed");
    auto filter = cast<RankedTensorType>(op.getWeight().getType());
    if (!hasBiasPerFilter(op.getBias(), filter.getDimSize(0)))
      return rewriter.notifyMatchFailure(op, "has one bias for all filters");
    replaceByConv(op, op.getInput(),
                  putChannelsFirst(rewriter, op.getLoc(), op.getWeight()),
                  op.getBias(), getWindow(op), rewriter);
    return success();
  }
};

/// (KH, KW, C, M) filters: result channel c * M + m reads channel c.
struct RaiseTosaDepthwise : OpRewritePattern<tosa::DepthwiseConv2DOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::DepthwiseConv2DOp op,
                                PatternRewriter &rewriter) const override {
    auto filter = dyn_cast<RankedTensorType>(op.getWeight().getType());
    if (!isPlain(op) || !filter.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "is quantized, mixed or dynamic");
    int64_t channels = filter.getDimSize(2);
    int64_t filters = channels * filter.getDimSize(3);
    if (channels == 0 || !hasBiasPerFilter(op.getBias(), filters))
      return failure();
    Location loc = op.getLoc();
    Value turned = transposeTosa(rewriter, loc, op.getWeight(), {2, 3, 0, 1});
    Value flat =
        reshapeTosa(rewriter, loc, turned,
                    {filters, 1, filter.getDimSize(0), filter.getDimSize(1)});
    Window window = getWindow(op);
    window.groups = channels;
    replaceByConv(op, op.getInput(), flat, op.getBias(), window, rewriter);
    return success();
  }
};

/// Result element (y * stride + window place + padding) adds up what input
/// element y gives. Negative padding crops; in front it cannot add.
struct RaiseTosaConvTranspose : OpRewritePattern<tosa::TransposeConv2DOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::TransposeConv2DOp op,
                                PatternRewriter &rewriter) const override {
    auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto filter = dyn_cast<RankedTensorType>(op.getWeight().getType());
    auto type = dyn_cast<RankedTensorType>(op.getOutput().getType());
    if (!isPlain(op) || !input.hasStaticShape() || !filter.hasStaticShape() ||
        !type.hasStaticShape() ||
        !hasBiasPerFilter(op.getBias(), filter.getDimSize(0)))
      return rewriter.notifyMatchFailure(op, "is quantized, mixed or dynamic");
    SmallVector<int64_t> padLow, padHigh, added, ones(2, 1);
    for (int64_t size : getPaddingSide(op.getOutPad(), 0)) {
      if (size > 0)
        return rewriter.notifyMatchFailure(op, "adds elements in front");
      padLow.push_back(-size);
    }
    for (int64_t size : getPaddingSide(op.getOutPad(), 1)) {
      padHigh.push_back(std::max<int64_t>(-size, 0));
      added.push_back(std::max<int64_t>(size, 0));
    }
    Location loc = op.getLoc();
    Value bias = op.getBias();
    if (isZeroConstant(bias))
      bias = {};
    auto conv = ConvTransposeOp::create(
        rewriter, loc, getChannelsFirstType(type),
        putChannelsFirst(rewriter, loc, op.getInput()),
        transposeTosa(rewriter, loc, op.getWeight(), {3, 0, 1, 2}), bias,
        op.getStride(), padLow, padHigh, ones, added, /*groups=*/1);
    rewriter.replaceOp(op, putChannelsLast(rewriter, loc, conv.getResult()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Slices of the channels of one image, each convolved, and the results put
/// after one another: a convolution with groups.
struct RaiseTosaGroups : OpRewritePattern<tosa::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<tosa::Conv2DOp> convs;
    for (Value part : op.getInput1()) {
      auto conv = part.getDefiningOp<tosa::Conv2DOp>();
      if (!conv || !conv->hasOneUse() || !isPlain(conv))
        return failure();
      convs.push_back(conv);
    }
    if (convs.size() < 2 || op.getAxis() != 3)
      return failure();
    Value image = matchGroups(convs);
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!image || !type)
      return rewriter.notifyMatchFailure(op, "is no convolution with groups");
    Location loc = op.getLoc();
    SmallVector<Value> filters, biases;
    for (tosa::Conv2DOp conv : convs) {
      filters.push_back(conv.getWeight());
      biases.push_back(conv.getBias());
    }
    Value bias;
    if (!llvm::all_of(biases, isZeroConstant))
      bias = concat(biases, rewriter, loc);
    Window window = getWindow(convs.front());
    window.groups = convs.size();
    replaceByConv(
        op, image,
        putChannelsFirst(rewriter, loc, concat(filters, rewriter, loc)), bias,
        window, rewriter);
    return success();
  }

private:
  static Value matchGroups(ArrayRef<tosa::Conv2DOp> convs);
  static Value concat(ArrayRef<Value> parts, PatternRewriter &rewriter,
                      Location loc);
};
} // namespace

/// The image of which convolution i reads the group i of channels; null where
/// the convolutions differ or leave channels out.
Value RaiseTosaGroups::matchGroups(ArrayRef<tosa::Conv2DOp> convs) {
  Value image;
  tosa::Conv2DOp first = convs.front();
  int64_t channels =
      cast<RankedTensorType>(first.getInput().getType()).getDimSize(3);
  for (size_t i = 0, e = convs.size(); i < e; ++i) {
    tosa::Conv2DOp conv = convs[i];
    if (conv.getPad() != first.getPad() ||
        conv.getStride() != first.getStride() ||
        conv.getDilation() != first.getDilation() ||
        conv.getWeight().getType() != first.getWeight().getType() ||
        conv.getBias().getType() != first.getBias().getType() ||
        conv.getInput().getType() != first.getInput().getType())
      return {};
    int64_t filters =
        cast<RankedTensorType>(conv.getWeight().getType()).getDimSize(0);
    auto slice = conv.getInput().getDefiningOp<tosa::SliceOp>();
    if (!slice || !hasBiasPerFilter(conv.getBias(), filters))
      return {};
    FailureOr<SmallVector<int64_t>> start = getConstantShape(slice.getStart());
    if (failed(start) || (image && slice.getInput1() != image) ||
        ArrayRef(*start) != ArrayRef<int64_t>({0, 0, 0, int64_t(i) * channels}))
      return {};
    image = slice.getInput1();
  }
  auto whole = dyn_cast<RankedTensorType>(image.getType());
  auto part = cast<RankedTensorType>(first.getInput().getType());
  if (!whole || !whole.hasStaticShape() ||
      whole.getShape().drop_back() != part.getShape().drop_back() ||
      whole.getDimSize(3) != channels * int64_t(convs.size()))
    return {};
  return image;
}

/// Filters or biases, one after the other; their source where they are its
/// slices in order.
Value RaiseTosaGroups::concat(ArrayRef<Value> parts, PatternRewriter &rewriter,
                              Location loc) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  int64_t size = type.getDimSize(0);
  SmallVector<int64_t> shape(type.getShape());
  shape[0] *= parts.size();
  auto joined = RankedTensorType::get(shape, type.getElementType());
  auto getSource = [&](size_t i) -> Value {
    auto slice = parts[i].getDefiningOp<tosa::SliceOp>();
    if (!slice || slice.getInput1().getType() != joined)
      return {};
    FailureOr<SmallVector<int64_t>> start = getConstantShape(slice.getStart());
    SmallVector<int64_t> expected(type.getRank(), 0);
    expected[0] = int64_t(i) * size;
    if (failed(start) || *start != expected)
      return {};
    return slice.getInput1();
  };
  Value source = getSource(0);
  for (size_t i = 1, e = parts.size(); source && i < e; ++i)
    if (getSource(i) != source)
      source = {};
  if (source)
    return source;
  return tosa::ConcatOp::create(rewriter, loc, joined, parts,
                                rewriter.getI32IntegerAttr(0));
}

void memfmt::populateTosaGroupPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaGroups>(patterns.getContext());
}

void memfmt::populateTosaConvPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaConv<tosa::Conv2DOp>, RaiseTosaConv<tosa::Conv3DOp>,
               RaiseTosaConvTranspose, RaiseTosaDepthwise>(
      patterns.getContext());
}
