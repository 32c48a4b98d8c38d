//===- MovementOps.cpp - elements at other places ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

using namespace mlir;
using namespace memfmt;

/// Operations that write the format that they read.
static SmallVector<FormatPort> keepFormat() { return {makePort({0}, {0})}; }

static LogicalResult inferSame(Value input, SmallVectorImpl<Type> &types) {
  types.push_back(withFormat(rankedType(input), {}));
  return success();
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

/// Padding that is read from the input cannot be longer than the input.
static LogicalResult checkPad(std::optional<Location> location, PadMode mode,
                              int64_t axis, int64_t size, int64_t pad) {
  StringRef name = memfmt::PadOp::getOperationName();
  if (mode == PadMode::constant || pad == 0)
    return success();
  if (pad < 0)
    return inferenceError(location, name, "crops only with mode `constant`");
  if (isDynamic(size))
    return success();
  int64_t most = mode == PadMode::reflect    ? size - 1
                 : mode == PadMode::circular ? size
                 : size == 0                 ? 0
                                             : pad;
  if (pad > most)
    return inferenceError(location, name, "with mode `", stringifyPadMode(mode),
                          "` expects padding of at most ", most, " on axis ",
                          axis, ", found ", pad);
  return success();
}

LogicalResult memfmt::PadOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  for (auto [what, list] :
       {std::pair<StringRef, ArrayRef<int64_t>>{"low", adaptor.getLow()},
        {"high", adaptor.getHigh()}})
    if (failed(checkList(location, getOperationName(), what, list,
                         type.getRank(), -(int64_t(1) << 31))))
      return failure();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    int64_t low = adaptor.getLow()[axis], high = adaptor.getHigh()[axis];
    if (failed(checkPad(location, adaptor.getMode(), axis, shape[axis], low)) ||
        failed(checkPad(location, adaptor.getMode(), axis, shape[axis], high)))
      return failure();
    if (isDynamic(shape[axis]))
      continue;
    shape[axis] += low + high;
    if (shape[axis] < 0)
      return inferenceError(location, getOperationName(),
                            "crops more than there is of axis ", axis);
  }
  types.push_back(plainType(shape, type));
  return success();
}

static bool isZero(int64_t value) { return value == 0; }

OpFoldResult memfmt::PadOp::fold(FoldAdaptor) {
  if (!llvm::all_of(getLow(), isZero) || !llvm::all_of(getHigh(), isZero))
    return {};
  return foldToInput(getInput(), getResult());
}

SmallVector<FormatPort> memfmt::PadOp::getFormatPorts() { return keepFormat(); }

//===----------------------------------------------------------------------===//
// FlipOp, RollOp, RepeatOp
//===----------------------------------------------------------------------===//

LogicalResult FlipOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkAxes(location, getOperationName(), adaptor.getAxes(),
                       rankedType(adaptor.getInput()).getRank())))
    return failure();
  return inferSame(adaptor.getInput(), types);
}

/// No axes, or the same ones twice.
OpFoldResult FlipOp::fold(FoldAdaptor) {
  if (getAxes().empty())
    return foldToInput(getInput(), getResult());
  auto before = getInput().getDefiningOp<FlipOp>();
  if (before && llvm::equal(before.getAxes(), getAxes()))
    return foldToInput(before.getInput(), getResult());
  return {};
}

SmallVector<FormatPort> FlipOp::getFormatPorts() { return keepFormat(); }

LogicalResult RollOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (failed(checkAxes(location, getOperationName(), axes,
                       rankedType(adaptor.getInput()).getRank())) ||
      failed(checkList(location, getOperationName(), "shifts",
                       adaptor.getShifts(), axes.size(), -(int64_t(1) << 31))))
    return failure();
  return inferSame(adaptor.getInput(), types);
}

OpFoldResult RollOp::fold(FoldAdaptor) {
  if (!llvm::all_of(getShifts(), isZero))
    return {};
  return foldToInput(getInput(), getResult());
}

SmallVector<FormatPort> RollOp::getFormatPorts() { return keepFormat(); }

LogicalResult RepeatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  ArrayRef<int64_t> repeats = adaptor.getRepeats();
  int64_t rank = repeats.size(), added = rank - type.getRank();
  if (added < 0 || (added > 0 && adaptor.getInterleave()))
    return inferenceError(location, getOperationName(), "expects `repeats` ",
                          "with ", type.getRank(), added < 0 ? " or more" : "",
                          " values, found ", rank);
  if (failed(
          checkList(location, getOperationName(), "repeats", repeats, rank, 0)))
    return failure();
  SmallVector<int64_t> shape(repeats);
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    int64_t size = type.getDimSize(axis);
    int64_t &result = shape[axis + added];
    if (isDynamic(size))
      result = ShapedType::kDynamic;
    else if (llvm::MulOverflow(result, size, result))
      return inferenceError(location, getOperationName(),
                            "gives a size above 63 bits on axis ",
                            axis + added);
  }
  types.push_back(plainType(shape, type));
  return success();
}

OpFoldResult RepeatOp::fold(FoldAdaptor) {
  if (!llvm::all_of(getRepeats(), [](int64_t count) { return count == 1; }))
    return {};
  return foldToInput(getInput(), getResult());
}

SmallVector<FormatPort> RepeatOp::getFormatPorts() {
  if (getInput().getType().getRank() != getResult().getType().getRank())
    return {};
  return keepFormat();
}

//===----------------------------------------------------------------------===//
// StackOp, GluOp, IndexSelectOp
//===----------------------------------------------------------------------===//

LogicalResult StackOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return inferenceError(location, getOperationName(),
                          "expects at least one input");
  RankedTensorType first = rankedType(adaptor.getInputs().front());
  for (Value input : adaptor.getInputs())
    if (RankedTensorType type = rankedType(input);
        type.getShape() != first.getShape() ||
        type.getElementType() != first.getElementType())
      return inferenceError(location, getOperationName(),
                            "expects inputs of one shape and element type, "
                            "found ",
                            first, " and ", type);
  int64_t axis = adaptor.getAxis();
  if (failed(
          checkAxis(location, getOperationName(), axis, first.getRank() + 1)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape.insert(shape.begin() + axis, adaptor.getInputs().size());
  types.push_back(plainType(shape, first));
  return success();
}

LogicalResult GluOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(location, getOperationName(), axis, type.getRank())))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape[axis])) {
    if (shape[axis] % 2)
      return inferenceError(location, getOperationName(),
                            "expects an even size on axis ", axis, ", found ",
                            shape[axis]);
    shape[axis] /= 2;
  }
  types.push_back(plainType(shape, type));
  return success();
}

SmallVector<FormatPort> GluOp::getFormatPorts() { return keepFormat(); }

LogicalResult IndexSelectOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  RankedTensorType indices = rankedType(adaptor.getIndices());
  if (failed(checkAxis(location, getOperationName(), adaptor.getAxis(),
                       type.getRank())))
    return failure();
  if (indices.getRank() != 1 || !indices.getElementType().isIntOrIndex())
    return inferenceError(location, getOperationName(),
                          "expects integer indices of rank 1, found ", indices);
  SmallVector<int64_t> shape(type.getShape());
  shape[adaptor.getAxis()] = indices.getDimSize(0);
  types.push_back(plainType(shape, type));
  return success();
}

SmallVector<FormatPort> IndexSelectOp::getFormatPorts() { return keepFormat(); }

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The factor to the power of the number of spatial axes; an error for another
/// rank, factors below 1 and powers above 2^31.
static FailureOr<int64_t> getFactorPower(std::optional<Location> location,
                                         StringRef name, RankedTensorType type,
                                         int64_t factor) {
  if (type.getRank() < 3 || type.getRank() > 5)
    return inferenceError(location, name,
                          "expects an input of rank 3, 4 or 5, found rank ",
                          type.getRank());
  if (factor < 1 || factor > (1 << 15))
    return inferenceError(location, name,
                          "expects a factor from 1 to 32768, found ", factor);
  int64_t power = 1;
  for (int64_t i = 2; i < type.getRank(); ++i)
    power *= factor;
  return power;
}

LogicalResult PixelShuffleOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t factor = adaptor.getFactor();
  FailureOr<int64_t> power =
      getFactorPower(location, getOperationName(), type, factor);
  if (failed(power))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape[1])) {
    if (shape[1] % *power)
      return inferenceError(location, getOperationName(),
                            "expects channels divisible by ", *power,
                            ", found ", shape[1]);
    shape[1] /= *power;
  }
  for (int64_t &size : llvm::drop_begin(shape, 2))
    if (!isDynamic(size) && llvm::MulOverflow(size, factor, size))
      return inferenceError(location, getOperationName(),
                            "gives a size above 63 bits");
  types.push_back(plainType(shape, type));
  return success();
}

/// A factor of 1, or the inverse of what was just done.
OpFoldResult PixelShuffleOp::fold(FoldAdaptor) {
  if (getFactor() == 1)
    return foldToInput(getInput(), getResult());
  auto before = getInput().getDefiningOp<PixelUnshuffleOp>();
  if (before && before.getFactor() == getFactor())
    return foldToInput(before.getInput(), getResult());
  return {};
}

SmallVector<FormatPort> PixelShuffleOp::getFormatPorts() {
  return keepFormat();
}

LogicalResult PixelUnshuffleOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t factor = adaptor.getFactor();
  FailureOr<int64_t> power =
      getFactorPower(location, getOperationName(), type, factor);
  if (failed(power))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape[1]) && llvm::MulOverflow(shape[1], *power, shape[1]))
    return inferenceError(location, getOperationName(),
                          "gives a size above 63 bits");
  for (auto [i, size] : llvm::enumerate(llvm::drop_begin(shape, 2))) {
    if (isDynamic(size))
      continue;
    if (size % factor)
      return inferenceError(location, getOperationName(),
                            "expects a size divisible by ", factor, " on axis ",
                            i + 2, ", found ", size);
    size /= factor;
  }
  types.push_back(plainType(shape, type));
  return success();
}

/// A factor of 1, or the inverse of what was just done.
OpFoldResult PixelUnshuffleOp::fold(FoldAdaptor) {
  if (getFactor() == 1)
    return foldToInput(getInput(), getResult());
  auto before = getInput().getDefiningOp<PixelShuffleOp>();
  if (before && before.getFactor() == getFactor())
    return foldToInput(before.getInput(), getResult());
  return {};
}

SmallVector<FormatPort> PixelUnshuffleOp::getFormatPorts() {
  return keepFormat();
}

LogicalResult ChannelShuffleOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t groups = adaptor.getGroups();
  if (type.getRank() < 2)
    return inferenceError(location, getOperationName(),
                          "expects an input of rank 2 or more, found rank ",
                          type.getRank());
  if (groups < 1 || (!type.isDynamicDim(1) && type.getDimSize(1) % groups))
    return inferenceError(location, getOperationName(),
                          "expects groups that divide the ", type.getDimSize(1),
                          " channels, found ", groups);
  return inferSame(adaptor.getInput(), types);
}

/// One group, or groups of one channel, change nothing.
OpFoldResult ChannelShuffleOp::fold(FoldAdaptor) {
  int64_t groups = getGroups();
  if (groups != 1 && groups != getInput().getType().getDimSize(1))
    return {};
  return foldToInput(getInput(), getResult());
}

SmallVector<FormatPort> ChannelShuffleOp::getFormatPorts() {
  return keepFormat();
}
