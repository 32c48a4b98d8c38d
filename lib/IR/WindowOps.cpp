//===- WindowOps.cpp - windows and resampling -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

#include <cmath>

using namespace mlir;
using namespace memfmt;

static LogicalResult checkSpatialRank(std::optional<Location> location,
                                      StringRef name, RankedTensorType type) {
  if (!type.getElementType().isSignlessIntOrIndexOrFloat())
    return inferenceError(location, name,
                          "expects elements that are signless numbers, found ",
                          type.getElementType());
  if (type.getRank() >= 3 && type.getRank() <= 5)
    return success();
  return inferenceError(location, name,
                        "expects an input of rank 3, 4 or 5, found rank ",
                        type.getRank());
}

/// The lists that every window has, one value for each spatial axis.
template <typename Adaptor>
static LogicalResult checkWindow(std::optional<Location> location,
                                 StringRef name, Adaptor adaptor,
                                 int64_t spatial) {
  return success(succeeded(checkList(location, name, "strides",
                                     adaptor.getStrides(), spatial, 1)) &&
                 succeeded(checkList(location, name, "dilations",
                                     adaptor.getDilations(), spatial, 1)) &&
                 succeeded(checkList(location, name, "pad_low",
                                     adaptor.getPadLow(), spatial, 0)) &&
                 succeeded(checkList(location, name, "pad_high",
                                     adaptor.getPadHigh(), spatial, 0)));
}

static LogicalResult checkGroups(std::optional<Location> location,
                                 StringRef name, int64_t groups,
                                 int64_t channels, StringRef what) {
  if (groups < 1)
    return inferenceError(location, name,
                          "expects `groups` of at least 1, found ", groups);
  if (!isDynamic(channels) && channels % groups)
    return inferenceError(location, name, "expects a number of ", what,
                          " divisible by groups ", groups, ", found ",
                          channels);
  return success();
}

/// Places of a window along one axis, rounded down; none where it does not fit.
static int64_t countPlaces(int64_t in, int64_t window, int64_t stride,
                           int64_t pad, int64_t dilation) {
  if (isDynamic(in) || isDynamic(window))
    return ShapedType::kDynamic;
  __int128 reach = static_cast<__int128>(dilation) * (window - 1) + 1;
  __int128 room = static_cast<__int128>(in) + pad - reach;
  return room < 0 ? 0 : static_cast<int64_t>(room / stride + 1);
}

//===----------------------------------------------------------------------===//
// ConvTransposeOp
//===----------------------------------------------------------------------===//

LogicalResult ConvTransposeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType input = rankedType(adaptor.getInput()),
                   filter = rankedType(adaptor.getFilter());
  int64_t spatial = input.getRank() - 2, groups = adaptor.getGroups();
  if (failed(checkSpatialRank(location, name, input)) ||
      failed(checkWindow(location, name, adaptor, spatial)) ||
      failed(checkList(location, name, "output_padding",
                       adaptor.getOutputPadding(), spatial, 0)))
    return failure();
  if (filter.getElementType() != input.getElementType())
    return inferenceError(location, name, "expects a filter of element type ",
                          input.getElementType(), ", found ",
                          filter.getElementType());
  if (filter.getRank() != input.getRank())
    return inferenceError(location, name, "expects a filter of rank ",
                          input.getRank(), ", found rank ", filter.getRank());
  if (failed(checkGroups(location, name, groups, input.getDimSize(1),
                         "input channels")))
    return failure();
  if (!sizesMayAgree(input.getDimSize(1), filter.getDimSize(0)))
    return inferenceError(location, name, "expects a filter for ",
                          input.getDimSize(1), " input channels, found ",
                          filter.getDimSize(0));
  SmallVector<int64_t> shape = {input.getDimSize(0), filter.getDimSize(1)};
  if (!isDynamic(shape[1]) && llvm::MulOverflow(shape[1], groups, shape[1]))
    return inferenceError(location, name, "has too many result channels");
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = input.getDimSize(i + 2), window = filter.getDimSize(i + 2);
    if (isDynamic(in) || isDynamic(window)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    __int128 size =
        static_cast<__int128>(in - 1) * adaptor.getStrides()[i] -
        adaptor.getPadLow()[i] - adaptor.getPadHigh()[i] +
        static_cast<__int128>(adaptor.getDilations()[i]) * (window - 1) +
        adaptor.getOutputPadding()[i] + 1;
    if (size < 1 || size > INT64_MAX)
      return inferenceError(location, name,
                            "expects a result of at least one element on axis ",
                            i + 2);
    shape.push_back(static_cast<int64_t>(size));
  }
  types.push_back(plainType(shape, input));
  return checkVector(location, name, "a bias", adaptor.getBias(), shape[1]);
}

SmallVector<FormatPort> ConvTransposeOp::getFormatPorts() {
  return {makePort({0}, {}), makePort({}, {0})};
}

//===----------------------------------------------------------------------===//
// ConvBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult ConvBackwardOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType gradient = rankedType(adaptor.getGradient()),
                   input = rankedType(adaptor.getInput()),
                   filter = rankedType(adaptor.getFilter());
  int64_t rank = input.getRank(), spatial = rank - 2;
  if (failed(checkSpatialRank(location, name, input)) ||
      failed(checkWindow(location, name, adaptor, spatial)))
    return failure();
  if (filter.getRank() != rank || gradient.getRank() != rank)
    return inferenceError(
        location, name, "expects tensors of one rank, found ranks ",
        gradient.getRank(), ", ", rank, " and ", filter.getRank());
  for (RankedTensorType type : {gradient, filter})
    if (type.getElementType() != input.getElementType())
      return inferenceError(location, name, "expects tensors of element type ",
                            input.getElementType(), ", found ",
                            type.getElementType());
  int64_t groups = adaptor.getGroups(), channels = input.getDimSize(1);
  if (failed(checkGroups(location, name, groups, channels, "input channels")) ||
      failed(
          checkGroups(location, name, groups, filter.getDimSize(0), "filters")))
    return failure();
  if (!isDynamic(channels) &&
      !sizesMayAgree(filter.getDimSize(1), channels / groups))
    return inferenceError(location, name,
                          "expects filter channels (input channels / groups) ",
                          channels / groups, ", found ", filter.getDimSize(1));
  SmallVector<int64_t> expected = {input.getDimSize(0), filter.getDimSize(0)};
  for (int64_t i = 0; i < spatial; ++i)
    expected.push_back(
        countPlaces(input.getDimSize(i + 2), filter.getDimSize(i + 2),
                    adaptor.getStrides()[i],
                    adaptor.getPadLow()[i] + adaptor.getPadHigh()[i],
                    adaptor.getDilations()[i]));
  for (auto [axis, size] : llvm::enumerate(expected))
    if (!sizesMayAgree(size, gradient.getDimSize(axis)))
      return inferenceError(location, name, "expects a gradient of size ", size,
                            " on axis ", axis, ", found ",
                            gradient.getDimSize(axis));
  types.push_back(withFormat(input, {}));
  types.push_back(withFormat(filter, {}));
  types.push_back(plainType({filter.getDimSize(0)}, filter));
  return success();
}

/// Gradients run in the format of what they are gradients of.
SmallVector<FormatPort> ConvBackwardOp::getFormatPorts() {
  return {makePort({0}, {}), makePort({1}, {0})};
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Sizes of a pool's result: all places, or what `ceil_mode` allows beyond.
template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> location, StringRef name,
                               Adaptor adaptor, RankedTensorType input,
                               SmallVectorImpl<int64_t> &shape) {
  int64_t spatial = input.getRank() - 2;
  if (failed(checkSpatialRank(location, name, input)) ||
      failed(checkWindow(location, name, adaptor, spatial)) ||
      failed(
          checkList(location, name, "window", adaptor.getWindow(), spatial, 1)))
    return failure();
  shape.assign({input.getDimSize(0), input.getDimSize(1)});
  for (int64_t i = 0; i < spatial; ++i)
    shape.push_back(
        countPlaces(input.getDimSize(i + 2), adaptor.getWindow()[i],
                    adaptor.getStrides()[i],
                    adaptor.getPadLow()[i] + adaptor.getPadHigh()[i],
                    adaptor.getDilations()[i]));
  return success();
}

LogicalResult MaxPoolIndicesOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType input = rankedType(adaptor.getInput());
  SmallVector<int64_t> shape;
  if (failed(inferPool(location, getOperationName(), adaptor, input, shape)))
    return failure();
  types.push_back(plainType(shape, input));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

SmallVector<FormatPort> MaxPoolIndicesOp::getFormatPorts() {
  return {makePort({0}, {0, 1})};
}

LogicalResult MaxUnpoolOp::verify() {
  RankedTensorType input = getInput().getType(),
                   indices = getIndices().getType(),
                   result = getResult().getType();
  std::optional<Location> location = getLoc();
  if (failed(checkSpatialRank(location, getOperationName(), input)))
    return failure();
  if (indices.getShape() != input.getShape() ||
      !indices.getElementType().isIntOrIndex())
    return emitOpError("expects integer indices of the shape of ")
           << input << ", found " << indices;
  if (result.getRank() != input.getRank() ||
      result.getElementType() != input.getElementType() ||
      !sizesMayAgree(result.getDimSize(0), input.getDimSize(0)) ||
      !sizesMayAgree(result.getDimSize(1), input.getDimSize(1)))
    return emitOpError("expects a result with the batch, channels and element "
                       "type of ")
           << input << ", found " << result;
  return success();
}

SmallVector<FormatPort> MaxUnpoolOp::getFormatPorts() {
  return {makePort({0, 1}, {0})};
}

LogicalResult PoolBackwardOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType input = rankedType(adaptor.getInput()),
                   gradient = rankedType(adaptor.getGradient());
  SmallVector<int64_t> shape;
  if (failed(inferPool(location, name, adaptor, input, shape)))
    return failure();
  if (gradient.getRank() != input.getRank() ||
      gradient.getElementType() != input.getElementType())
    return inferenceError(location, name,
                          "expects a gradient of the rank and element type of ",
                          input, ", found ", gradient);
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!sizesMayAgree(size, gradient.getDimSize(axis)))
      return inferenceError(location, name, "expects a gradient of size ", size,
                            " on axis ", axis, ", found ",
                            gradient.getDimSize(axis));
  if (adaptor.getExcludePad() && adaptor.getKind() != PoolKind::avg)
    return inferenceError(location, name,
                          "expects `exclude_pad` only with kind avg, found ",
                          stringifyPoolKind(adaptor.getKind()));
  types.push_back(withFormat(input, {}));
  return success();
}

SmallVector<FormatPort> PoolBackwardOp::getFormatPorts() {
  return {makePort({0, 1}, {0})};
}

/// Spatial sizes of the second tensor, called `what`, are free: batch, channels
/// and element type are those of the input.
static LogicalResult verifySpatialChange(Operation *op, RankedTensorType input,
                                         RankedTensorType result,
                                         StringRef what = "a result") {
  if (failed(
          checkSpatialRank(op->getLoc(), op->getName().getStringRef(), input)))
    return failure();
  if (result.getRank() != input.getRank() ||
      result.getElementType() != input.getElementType() ||
      !sizesMayAgree(result.getDimSize(0), input.getDimSize(0)) ||
      !sizesMayAgree(result.getDimSize(1), input.getDimSize(1)))
    return op->emitOpError("expects ")
           << what << " with the batch, channels and element type of " << input
           << ", found " << result;
  for (int64_t axis = 2; axis < input.getRank(); ++axis)
    if (input.getDimSize(axis) == 0 && result.getDimSize(axis) != 0)
      return op->emitOpError("expects elements on axis ")
             << axis << " of its input, found none";
  return success();
}

LogicalResult AdaptivePoolOp::verify() {
  if (getKind() == PoolKind::sum)
    return emitOpError("expects kind avg or max, found sum");
  return verifySpatialChange(*this, getInput().getType(),
                             getResult().getType());
}

SmallVector<FormatPort> AdaptivePoolOp::getFormatPorts() {
  return {makePort({0}, {0})};
}

LogicalResult
AdaptivePoolBackwardOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(withFormat(rankedType(adaptor.getInput()), {}));
  return success();
}

LogicalResult AdaptivePoolBackwardOp::verify() {
  if (getKind() == PoolKind::sum)
    return emitOpError("expects kind avg or max, found sum");
  return verifySpatialChange(*this, getInput().getType(),
                             getGradient().getType(), "a gradient");
}

SmallVector<FormatPort> AdaptivePoolBackwardOp::getFormatPorts() {
  return {makePort({0, 1}, {0})};
}

//===----------------------------------------------------------------------===//
// ResizeOp, ResizeBackwardOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyScales(Operation *op,
                                  std::optional<ArrayRef<double>> scales,
                                  int64_t spatial) {
  if (!scales)
    return success();
  if (static_cast<int64_t>(scales->size()) != spatial)
    return op->emitOpError("expects `scales` with ")
           << spatial << " values, one for each spatial axis, found "
           << scales->size();
  for (double scale : *scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return op->emitOpError("expects positive `scales`, found ") << scale;
  return success();
}

LogicalResult ResizeOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifySpatialChange(*this, input, getResult().getType())))
    return failure();
  return verifyScales(*this, getScales(), input.getRank() - 2);
}

SmallVector<FormatPort> ResizeOp::getFormatPorts() {
  return {makePort({0}, {0})};
}

LogicalResult ResizeBackwardOp::verify() {
  RankedTensorType gradient = getGradient().getType();
  if (failed(verifySpatialChange(*this, gradient, getResult().getType())))
    return failure();
  return verifyScales(*this, getScales(), gradient.getRank() - 2);
}

SmallVector<FormatPort> ResizeBackwardOp::getFormatPorts() {
  return {makePort({0}, {0})};
}
