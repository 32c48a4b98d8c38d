//===- RaiseConv.cpp - convolutions -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Any linalg operation that is a convolution by the roles of its loops, named
// or generic, whatever the order of its axes: its tensors are permuted to
// (batch, channel, spatial...) around `memfmt.conv`.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Recognisers.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

using namespace mlir;
using namespace memfmt;

/// Whether each result of the map is one loop, or for `windows` results a sum
/// of loops. A window of size 1 may be written without a sum, and is left.
static bool isPlain(AffineMap map, size_t windows) {
  size_t sums = llvm::count_if(map.getResults(), [](AffineExpr expr) {
    return !isa<AffineDimExpr>(expr);
  });
  return sums == windows;
}

namespace {
/// Axes of the three tensors in the order (batch, group, filter or channel,
/// spatial...), and which of the roles the operation has.
struct Roles {
  linalg::ConvolutionDimensions dims;
  SmallVector<int64_t> input, filter, result;

  bool hasBatch() const { return !dims.batch.empty(); }
  bool hasGroup() const { return !dims.depth.empty(); }
  bool hasFilter() const { return !dims.outputChannel.empty(); }
  bool hasChannel() const { return !dims.inputChannel.empty(); }
  /// Whether axes of the input or the result are joined, split or inserted.
  bool needsReshape() const {
    if (hasGroup())
      return !hasBatch() || hasFilter() || hasChannel();
    return !hasBatch() || !hasFilter() || !hasChannel();
  }
};
} // namespace

/// The body adds products of its first two arguments to the third.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  if (body.getNumArguments() != 3)
    return false;
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value product = sum.getLhs(), before = sum.getRhs();
  if (product == body.getArgument(2))
    std::swap(product, before);
  auto mul = product.getDefiningOp<arith::MulFOp>();
  if (!mul || before != body.getArgument(2))
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1);
  Value left = skipExtension(mul.getLhs()), right = skipExtension(mul.getRhs());
  return (left == a && right == b) || (left == b && right == a);
}

static FailureOr<Roles> getRoles(linalg::LinalgOp op) {
  if (!linalg::isaConvolutionOpInterface(op) || !isMultiplyAdd(op))
    return failure();
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims) || dims->batch.size() > 1 || dims->depth.size() > 1 ||
      dims->outputChannel.size() > 1 || dims->inputChannel.size() > 1 ||
      dims->outputImage.empty() || dims->outputImage.size() > 3 ||
      dims->outputImage.size() != dims->filterLoop.size())
    return failure();
  Roles roles;
  roles.dims = *dims;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto order = [](AffineMap map,
                  std::initializer_list<ArrayRef<unsigned>> parts) {
    SmallVector<int64_t> axes;
    for (ArrayRef<unsigned> part : parts)
      for (unsigned loop : part)
        axes.push_back(findAxis(map, loop));
    return axes;
  };
  roles.input = order(maps[0], {dims->batch, dims->depth, dims->inputChannel,
                                dims->outputImage});
  roles.filter = order(maps[1], {dims->depth, dims->outputChannel,
                                 dims->inputChannel, dims->filterLoop});
  roles.result = order(maps[2], {dims->batch, dims->depth, dims->outputChannel,
                                 dims->outputImage});
  // Every axis has one role: nothing repeated, left over or missing.
  for (auto [axes, map] :
       llvm::zip_equal(ArrayRef<SmallVector<int64_t>>{roles.input, roles.filter,
                                                      roles.result},
                       maps))
    if (axes.size() != map.getNumResults() || !isPermutationVector(axes))
      return failure();
  if (!isPlain(maps[0], dims->outputImage.size()) || !isPlain(maps[1], 0) ||
      !isPlain(maps[2], 0))
    return failure();
  for (auto [image, window] :
       llvm::zip_equal(dims->outputImage, dims->filterLoop))
    if (findAxis(maps[0], image) != findAxis(maps[0], window))
      return failure();
  // A window that runs backwards is no convolution of ours.
  if (!areForward(dims->strides) || !areForward(dims->dilations))
    return failure();
  return roles;
}

/// What the result starts from: nothing, or a bias of (filters).
static FailureOr<ChannelOperand> matchBias(Value init, const Roles &roles) {
  auto type = cast<RankedTensorType>(init.getType());
  // The axes of the result along which the bias runs.
  SmallVector<int64_t> axes;
  for (unsigned i = roles.hasBatch(),
                e = i + roles.hasGroup() + roles.hasFilter();
       i < e; ++i)
    axes.push_back(roles.result[i]);
  if (axes.empty())
    axes.push_back(0);
  int64_t filters = 1;
  for (int64_t axis : axes) {
    if (axes.size() > 1 && type.isDynamicDim(axis))
      return failure();
    filters *= type.getDimSize(axis);
  }
  Expression element = Expression::ofElement(init);
  if (axes.size() == 1 && !type.isDynamicDim(axes[0]))
    return matchChannelOperand(element, axes[0], filters);
  if (element.getConstant())
    return ChannelOperand{Value(), element.getConstant(), filters};
  // (batch, group * filter, ...) split into groups.
  auto expand = init.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand || expand.getSrcType().getRank() + 1 != type.getRank() ||
      axes.size() != 2 || axes[1] != axes[0] + 1 ||
      expand.getReassociationIndices()[axes[0]].size() != 2)
    return failure();
  return matchChannelOperand(Expression::ofElement(expand.getSrc()), axes[0],
                             filters);
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
    Type element = types[0].getElementType();
    if (!isa<FloatType>(element) || types[1].getElementType() != element ||
        !isSumType(types[2].getElementType(), element))
      return rewriter.notifyMatchFailure(
          op, "expects floats, summed in their own type or in f32");
    if (llvm::is_contained(types[1].getShape(), 0))
      return rewriter.notifyMatchFailure(op, "has no filter");
    bool reshapes = roles->needsReshape();
    for (auto [i, type] : llvm::enumerate(types))
      if ((reshapes || (roles->hasGroup() && i == 1)) && !type.hasStaticShape())
        return rewriter.notifyMatchFailure(op, "sizes are not static");
    FailureOr<ChannelOperand> bias = matchBias(op->getOperand(2), *roles);
    if (failed(bias))
      return rewriter.notifyMatchFailure(op, "starts from no bias");
    Value vector;
    if (!isZero(bias->splat))
      vector = bias->createVector(rewriter, op.getLoc());
    rewriter.replaceOp(op, build(op, *roles, vector, rewriter));
    return success();
  }

private:
  static Value build(linalg::LinalgOp op, const Roles &roles, Value bias,
                     PatternRewriter &rewriter);
  static Value arrangeFilter(Value filter, const Roles &roles, Location loc,
                             PatternRewriter &rewriter);
  static Value arrangeInput(Value input, const Roles &roles, Location loc,
                            PatternRewriter &rewriter);
};
} // namespace

/// (batch, channel, spatial...).
Value RaiseConv::arrangeInput(Value input, const Roles &roles, Location loc,
                              PatternRewriter &rewriter) {
  input = permuteAxes(rewriter, loc, input, roles.input);
  if (roles.hasGroup() && roles.hasChannel())
    input = joinAxes(rewriter, loc, input, roles.hasBatch());
  if (!roles.hasGroup() && !roles.hasChannel())
    input = insertAxis(rewriter, loc, input, roles.hasBatch());
  return roles.hasBatch() ? input : insertAxis(rewriter, loc, input, 0);
}

/// The part of the input (batch, channel, spatial...) that the windows of the
/// result cover: linalg allows more behind it.
static Value cropInput(Value input, Value filter, RankedTensorType result,
                       const Roles &roles, Location loc,
                       PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(input.getType());
  auto filterType = cast<RankedTensorType>(filter.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, input);
  bool crops = false;
  for (size_t i = 0, e = roles.dims.strides.size(); i < e; ++i) {
    int64_t axis = i + 2, out = result.getDimSize(axis);
    if (type.isDynamicDim(axis) || filterType.isDynamicDim(axis) ||
        ShapedType::isDynamic(out))
      continue;
    int64_t stride = roles.dims.strides[i];
    int64_t covered =
        (out - 1) * stride + 1 +
        roles.dims.dilations[i] * (filterType.getDimSize(axis) - 1);
    if (out < 1 || type.getDimSize(axis) - covered < stride)
      continue;
    sizes[axis] = rewriter.getIndexAttr(covered);
    crops = true;
  }
  if (!crops)
    return input;
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, input, zeros, sizes,
                                        ones);
}

/// (filter, channel of the group, window...).
Value RaiseConv::arrangeFilter(Value filter, const Roles &roles, Location loc,
                               PatternRewriter &rewriter) {
  filter = permuteAxes(rewriter, loc, filter, roles.filter);
  if (roles.hasGroup() && roles.hasFilter())
    filter = joinAxes(rewriter, loc, filter, 0);
  if (!roles.hasChannel())
    filter = insertAxis(rewriter, loc, filter,
                        roles.hasGroup() || roles.hasFilter());
  if (!roles.hasGroup() && !roles.hasFilter())
    filter = insertAxis(rewriter, loc, filter, 0);
  return filter;
}

Value RaiseConv::build(linalg::LinalgOp op, const Roles &roles, Value bias,
                       PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  int64_t groups = 1;
  if (roles.hasGroup())
    groups = cast<RankedTensorType>(op->getOperand(1).getType())
                 .getDimSize(roles.filter[0]);
  Value input = arrangeInput(op->getOperand(0), roles, loc, rewriter);
  Value filter = arrangeFilter(op->getOperand(1), roles, loc, rewriter);

  // The result with its own axes, in the order of the roles.
  RankedTensorType ordered = permuteType(
      cast<RankedTensorType>(op->getResult(0).getType()), roles.result);
  SmallVector<int64_t> shape(ordered.getShape());
  int64_t channel = roles.hasBatch();
  bool split = roles.hasGroup() && roles.hasFilter();
  if (split) {
    shape[channel] *= shape[channel + 1];
    shape.erase(shape.begin() + channel + 1);
  }
  bool hasNone = !roles.hasGroup() && !roles.hasFilter();
  if (hasNone)
    shape.insert(shape.begin() + channel, 1);
  if (!roles.hasBatch())
    shape.insert(shape.begin(), 1);

  auto type = RankedTensorType::get(shape, ordered.getElementType());
  input = cropInput(input, filter, type, roles, loc, rewriter);
  SmallVector<int64_t> none(roles.dims.strides.size(), 0);
  Value result = ConvOp::create(rewriter, loc, type, input, filter, bias,
                                ValueRange(), roles.dims.strides, none, none,
                                roles.dims.dilations, groups)
                     .getResult();
  if (!roles.hasBatch())
    result = dropAxis(rewriter, loc, result, 0);
  if (hasNone)
    result = dropAxis(rewriter, loc, result, channel);
  if (split)
    result = splitAxis(rewriter, loc, result, ordered, channel);
  return permuteAxes(rewriter, loc, result,
                     invertPermutationVector(roles.result));
}

void memfmt::populateConvRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseConv>(patterns.getContext());
}
