//===- ElementwiseOps.cpp - element-wise operations -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// Operands of a kind.
static unsigned getArity(ElementwiseKind kind) {
  if (kind == ElementwiseKind::clamp || kind == ElementwiseKind::fake_quantize)
    return 1;
  if (kind >= ElementwiseKind::addcdiv)
    return 3;
  return kind >= ElementwiseKind::add ? 2 : 1;
}

/// Constants of a kind: how many are needed, how many are understood.
static std::pair<unsigned, unsigned> getNumParameters(ElementwiseKind kind) {
  switch (kind) {
  case ElementwiseKind::clamp:
  case ElementwiseKind::hardtanh:
    return {2, 2};
  case ElementwiseKind::fake_quantize:
    return {4, 4};
  case ElementwiseKind::elu:
  case ElementwiseKind::leaky_relu:
    return {1, 1};
  case ElementwiseKind::softplus:
  case ElementwiseKind::nan_to_num:
  case ElementwiseKind::addcmul:
  case ElementwiseKind::addcdiv:
  case ElementwiseKind::add:
  case ElementwiseKind::sub:
    return {0, 1};
  default:
    return {0, 0};
  }
}

/// Kinds that clamp what they are given.
static bool hasBounds(ElementwiseKind kind) {
  return kind == ElementwiseKind::clamp || kind == ElementwiseKind::hardtanh ||
         kind == ElementwiseKind::relu6 || kind == ElementwiseKind::hardsigmoid;
}

static bool givesBoolean(ElementwiseKind kind) {
  switch (kind) {
  case ElementwiseKind::eq:
  case ElementwiseKind::ge:
  case ElementwiseKind::gt:
  case ElementwiseKind::le:
  case ElementwiseKind::lt:
  case ElementwiseKind::ne:
  case ElementwiseKind::logical_and:
  case ElementwiseKind::logical_not:
  case ElementwiseKind::logical_or:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// ElementwiseOp
//===----------------------------------------------------------------------===//

/// Merges `shape` into `result`, aligned at the last axis.
static LogicalResult broadcast(std::optional<Location> location, StringRef name,
                               SmallVector<int64_t> &result,
                               ArrayRef<int64_t> shape) {
  if (shape.size() > result.size())
    result.insert(result.begin(), shape.size() - result.size(), 1);
  unsigned first = result.size() - shape.size();
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t &merged = result[first + i];
    if (merged == 1 || (isDynamic(merged) && size > 1))
      merged = size;
    else if (size != 1 && !sizesMayAgree(merged, size))
      return inferenceError(location, name,
                            "expects shapes that broadcast, found sizes ",
                            merged, " and ", size, " on axis ", first + i);
  }
  return success();
}

LogicalResult ElementwiseOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape;
  Type element;
  if (adaptor.getInputs().empty())
    return inferenceError(location, getOperationName(),
                          "expects at least one input");
  for (Value input : adaptor.getInputs())
    if (!isa<RankedTensorType>(input.getType()) &&
        !input.getType().isSignlessIntOrIndexOrFloat())
      return inferenceError(location, getOperationName(),
                            "expects ranked tensors and scalars, found ",
                            input.getType());
  bool prelu = adaptor.getKind() == ElementwiseKind::prelu;
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Type inputElement = type ? type.getElementType() : input.getType();
    // The type of the data, not that of a mask or a scalar beside it.
    if (!element || (element.isInteger(1) && !inputElement.isInteger(1)))
      element = inputElement;
    if (type && !(prelu && i == 1) &&
        failed(broadcast(location, getOperationName(), shape, type.getShape())))
      return failure();
  }
  if (givesBoolean(adaptor.getKind()))
    element = IntegerType::get(element.getContext(), 1);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

/// The element type of the result is the program's choice, unless it is a truth
/// value.
bool ElementwiseOp::isCompatibleReturnTypes(TypeRange inferred,
                                            TypeRange found) {
  auto shape = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return RankedTensorType::get(tensor.getShape(),
                                 IntegerType::get(type.getContext(), 1));
  };
  return areLogicallyCompatible(TypeRange{shape(inferred[0])},
                                TypeRange{shape(found[0])});
}

bool ElementwiseOp::isFormatAgnostic() { return true; }

static LogicalResult verifyMask(ElementwiseOp op) {
  unsigned position;
  if (op.getKind() == ElementwiseKind::where)
    position = 0;
  else if (op.getKind() == ElementwiseKind::masked_fill)
    position = 1;
  else
    return success();
  Type mask = getElementTypeOrSelf(op.getInputs()[position].getType());
  if (mask.isInteger(1))
    return success();
  return op.emitOpError() << "of kind `"
                          << stringifyElementwiseKind(op.getKind())
                          << "` expects a mask of i1, found " << mask;
}

LogicalResult ElementwiseOp::verify() {
  unsigned arity = getArity(getKind());
  if (getInputs().size() != arity)
    return emitOpError() << "of kind `" << stringifyElementwiseKind(getKind())
                         << "` expects " << arity << " inputs, found "
                         << getInputs().size();
  auto [least, most] = getNumParameters(getKind());
  unsigned found = getParameters() ? getParameters()->size() : 0;
  if (found < least || found > most)
    return emitOpError() << "of kind `" << stringifyElementwiseKind(getKind())
                         << "` expects " << least
                         << (least == most ? "" : " or 1")
                         << " parameters, found " << found;
  Type result = getResult().getType().getElementType();
  for (Value input : getInputs()) {
    Type type = getElementTypeOrSelf(input.getType());
    if (!type.isSignlessIntOrIndexOrFloat())
      return emitOpError("expects signless numbers, found ") << input.getType();
  }
  if (givesBoolean(getKind()) && !result.isInteger(1))
    return emitOpError() << "of kind `" << stringifyElementwiseKind(getKind())
                         << "` expects a result of i1, found " << result;
  if (!result.isSignlessIntOrIndexOrFloat())
    return emitOpError("expects a result of signless numbers, found ")
           << result;
  if (getKind() == ElementwiseKind::prelu) {
    auto input = dyn_cast<RankedTensorType>(getInputs()[0].getType());
    auto slopes = dyn_cast<RankedTensorType>(getInputs()[1].getType());
    if (!input || !slopes || input.getRank() < 2 || slopes.getRank() != 1 ||
        !(slopes.getDimSize(0) == 1 ||
          sizesMayAgree(slopes.getDimSize(0), input.getDimSize(1))))
      return emitOpError("of kind `prelu` expects slopes of rank 1, one for "
                         "each channel of its input or one for all, found ")
             << getInputs()[1].getType();
  }
  if (getIgnoreNan() && !hasBounds(getKind()))
    return emitOpError("expects `ignore_nan` only with kinds that have bounds, "
                       "found `")
           << stringifyElementwiseKind(getKind()) << "`";
  return verifyMask(*this);
}

OpFoldResult ElementwiseOp::fold(FoldAdaptor) {
  // A conversion to the same type; what goes `into` other memory is a copy.
  if (getKind() == ElementwiseKind::convert && !getInto() &&
      getInputs()[0].getType() == getResult().getType())
    return getInputs()[0];
  return {};
}

SmallVector<FormatPort> ElementwiseOp::getFormatPorts() {
  FormatPort port = makePort({}, {0});
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (auto type = dyn_cast<RankedTensorType>(input.getType());
        type && type.getShape() == getResult().getType().getShape())
      port.operands.push_back(i);
  return {port};
}

//===----------------------------------------------------------------------===//
// DropoutOp
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(withFormat(rankedType(adaptor.getInput()), {}));
  return success();
}

LogicalResult DropoutOp::verify() {
  double probability = getProbability().convertToDouble();
  if (!(probability >= 0 && probability < 1))
    return emitOpError("expects a probability from 0 to below 1, found ")
           << probability;
  RankedTensorType input = getInput().getType();
  if (!getMask())
    return success();
  RankedTensorType mask = rankedType(getMask());
  bool fits = mask.getRank() == input.getRank();
  for (int64_t i = 0; fits && i < input.getRank(); ++i)
    fits = mask.getDimSize(i) == 1 ||
           sizesMayAgree(mask.getDimSize(i), input.getDimSize(i));
  if (!fits)
    return emitOpError("expects a mask of the rank of its input, each size "
                       "that of the input or 1, found ")
           << mask;
  if (mask.getElementType() != input.getElementType())
    return emitOpError("expects a mask of element type ")
           << input.getElementType() << ", found " << mask.getElementType();
  return success();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  if (getMask() || getInput().getType() != getResult().getType())
    return {};
  return getInput();
}

SmallVector<FormatPort> DropoutOp::getFormatPorts() {
  FormatPort port = makePort({0}, {0});
  if (getMask() &&
      rankedType(getMask()).getShape() == getInput().getType().getShape())
    port.operands.push_back(1);
  return {port};
}
