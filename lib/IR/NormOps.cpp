//===- NormOps.cpp - normalisation and softmax ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

using namespace mlir;
using namespace memfmt;

static LogicalResult inferSame(Value input, SmallVectorImpl<Type> &types) {
  types.push_back(withFormat(rankedType(input), {}));
  return success();
}

static SmallVector<FormatPort> keepFormat() { return {makePort({0}, {0})}; }

/// Floating point elements, an epsilon of at least zero.
static LogicalResult verifyFloats(Operation *op, RankedTensorType input,
                                  APFloat epsilon) {
  if (!isa<FloatType>(input.getElementType()))
    return op->emitOpError("expects floating point elements, found ")
           << input.getElementType();
  if (!(epsilon.convertToDouble() >= 0))
    return op->emitOpError("expects an epsilon of at least 0, found ")
           << epsilon.convertToDouble();
  return success();
}

/// Channels on axis 1.
static LogicalResult verifyNorm(Operation *op, RankedTensorType input,
                                APFloat epsilon) {
  if (input.getRank() < 2)
    return op->emitOpError("expects an input of rank 2 or more, found rank ")
           << input.getRank();
  return verifyFloats(op, input, epsilon);
}

/// Parameters, each may be absent, have the shape of the last `count` axes.
static LogicalResult verifyLayerNorm(Operation *op, RankedTensorType input,
                                     int64_t count, APFloat epsilon,
                                     ArrayRef<Value> parameters) {
  if (count < 1 || count > input.getRank())
    return op->emitOpError("expects from 1 to ")
           << input.getRank() << " axes, found " << count;
  if (failed(verifyFloats(op, input, epsilon)))
    return failure();
  RankedTensorType expected =
      plainType(input.getShape().take_back(count), input);
  for (Value parameter : parameters)
    if (parameter && !areLogicallyCompatible(TypeRange{expected},
                                             TypeRange{parameter.getType()}))
      return op->emitOpError("expects a scale and an offset of the shape of "
                             "the last ")
             << count << " axes of " << input << ", found "
             << parameter.getType();
  return success();
}

/// Vectors with one value for each channel.
static LogicalResult verifyVectors(Operation *op, RankedTensorType input,
                                   ArrayRef<std::pair<StringRef, Value>> all) {
  for (auto [what, vector] : all) {
    if (failed(checkVector(op->getLoc(), op->getName().getStringRef(), what,
                           vector, input.getDimSize(1))))
      return failure();
    if (vector && rankedType(vector).getElementType() != input.getElementType())
      return op->emitOpError("expects ")
             << what << " of element type " << input.getElementType()
             << ", found " << vector.getType();
  }
  return success();
}

static LogicalResult verifyGroups(Operation *op, RankedTensorType input,
                                  int64_t groups) {
  // How many channels a group has is known when the program is compiled.
  if (input.isDynamicDim(1) && groups != 1)
    return op->emitOpError("expects a static number of channels for ")
           << groups << " groups, found " << input;
  if (groups >= 1 &&
      (input.isDynamicDim(1) || input.getDimSize(1) % groups == 0))
    return success();
  return op->emitOpError("expects groups that divide the ")
         << input.getDimSize(1) << " channels, found " << groups;
}

//===----------------------------------------------------------------------===//
// Group, instance and layer normalisation
//===----------------------------------------------------------------------===//

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferSame(adaptor.getInput(), types);
}

LogicalResult GroupNormOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyNorm(*this, input, getEpsilon())) ||
      failed(verifyGroups(*this, input, getGroups())))
    return failure();
  return verifyVectors(*this, input,
                       {{"a scale", getScale()}, {"an offset", getOffset()}});
}

SmallVector<FormatPort> GroupNormOp::getFormatPorts() { return keepFormat(); }

LogicalResult InstanceNormOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferSame(adaptor.getInput(), types);
}

LogicalResult InstanceNormOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyNorm(*this, input, getEpsilon())))
    return failure();
  return verifyVectors(*this, input,
                       {{"a scale", getScale()}, {"an offset", getOffset()}});
}

SmallVector<FormatPort> InstanceNormOp::getFormatPorts() {
  return keepFormat();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferSame(adaptor.getInput(), types);
}

LogicalResult LayerNormOp::verify() {
  return verifyLayerNorm(*this, getInput().getType(), getNumAxes(),
                         getEpsilon(), {getScale(), getOffset()});
}

SmallVector<FormatPort> LayerNormOp::getFormatPorts() { return keepFormat(); }

//===----------------------------------------------------------------------===//
// Training and backward
//===----------------------------------------------------------------------===//

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType input = rankedType(adaptor.getInput());
  if (input.getRank() < 2)
    return inferenceError(location, getOperationName(),
                          "expects an input of rank 2 or more, found rank ",
                          input.getRank());
  types.push_back(withFormat(input, {}));
  types.append(2, plainType({input.getDimSize(1)}, input));
  return success();
}

LogicalResult BatchNormTrainingOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyNorm(*this, input, getEpsilon())))
    return failure();
  return verifyVectors(*this, input,
                       {{"a scale", getScale()}, {"an offset", getOffset()}});
}

SmallVector<FormatPort> BatchNormTrainingOp::getFormatPorts() {
  return keepFormat();
}

/// Gradients of a norm: that of the input in its type, those of scale and
/// offset in the shape of these.
static LogicalResult inferGradients(std::optional<Location> location,
                                    StringRef name, Value gradient, Value input,
                                    ArrayRef<int64_t> parameterShape,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(input);
  if (!areLogicallyCompatible(TypeRange{type}, TypeRange{gradient.getType()}))
    return inferenceError(location, name,
                          "expects a gradient of the shape and element type "
                          "of ",
                          type, ", found ", gradient.getType());
  types.push_back(withFormat(type, {}));
  types.append(2, plainType(parameterShape, type));
  return success();
}

/// The parameters are vectors of channels.
static LogicalResult inferChannelGradients(std::optional<Location> location,
                                           StringRef name, Value gradient,
                                           Value input,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(input);
  if (type.getRank() < 2)
    return inferenceError(location, name,
                          "expects an input of rank 2 or more, found rank ",
                          type.getRank());
  return inferGradients(location, name, gradient, input, {type.getDimSize(1)},
                        types);
}

LogicalResult BatchNormBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferChannelGradients(location, getOperationName(),
                               adaptor.getGradient(), adaptor.getInput(),
                               types);
}

LogicalResult BatchNormBackwardOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyNorm(*this, input, getEpsilon())))
    return failure();
  return verifyVectors(*this, input,
                       {{"a mean", getMean()},
                        {"a variance", getVariance()},
                        {"a scale", getScale()}});
}

/// The gradient of the result is read in the format of the input: two formats
/// are never mixed.
SmallVector<FormatPort> BatchNormBackwardOp::getFormatPorts() {
  return {makePort({0}, {}), makePort({1}, {0})};
}

LogicalResult GroupNormBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferChannelGradients(location, getOperationName(),
                               adaptor.getGradient(), adaptor.getInput(),
                               types);
}

LogicalResult GroupNormBackwardOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyNorm(*this, input, getEpsilon())) ||
      failed(verifyGroups(*this, input, getGroups())))
    return failure();
  return verifyVectors(*this, input, {{"a scale", getScale()}});
}

SmallVector<FormatPort> GroupNormBackwardOp::getFormatPorts() {
  return {makePort({0}, {}), makePort({1}, {0})};
}

LogicalResult LayerNormBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType input = rankedType(adaptor.getInput());
  int64_t count = adaptor.getNumAxes();
  if (count < 1 || count > input.getRank())
    return inferenceError(location, getOperationName(), "expects from 1 to ",
                          input.getRank(), " axes, found ", count);
  return inferGradients(location, getOperationName(), adaptor.getGradient(),
                        adaptor.getInput(), input.getShape().take_back(count),
                        types);
}

LogicalResult LayerNormBackwardOp::verify() {
  return verifyLayerNorm(*this, getInput().getType(), getNumAxes(),
                         getEpsilon(), {getScale()});
}

SmallVector<FormatPort> LayerNormBackwardOp::getFormatPorts() {
  return {makePort({0}, {}), makePort({1}, {0})};
}

//===----------------------------------------------------------------------===//
// LocalResponseNormOp, SoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult
LocalResponseNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferSame(adaptor.getInput(), types);
}

LogicalResult LocalResponseNormOp::verify() {
  if (failed(verifyNorm(*this, getInput().getType(), APFloat(0.0))))
    return failure();
  if (int64_t size = getSize(); size < 1 || size > (int64_t(1) << 31))
    return emitOpError("expects a size from 1 to 2^31, found ") << size;
  return success();
}

SmallVector<FormatPort> LocalResponseNormOp::getFormatPorts() {
  return keepFormat();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkAxis(location, getOperationName(), adaptor.getAxis(),
                       rankedType(adaptor.getInput()).getRank())))
    return failure();
  return inferSame(adaptor.getInput(), types);
}

LogicalResult SoftmaxOp::verify() {
  if (!isa<FloatType>(getInput().getType().getElementType()))
    return emitOpError("expects floating point elements, found ")
           << getInput().getType().getElementType();
  return success();
}

SmallVector<FormatPort> SoftmaxOp::getFormatPorts() { return keepFormat(); }
