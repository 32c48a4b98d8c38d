//===- ScalarEvaluator.cpp - elements known at compile time -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ScalarEvaluator.h"

#include "Expression.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace memfmt;

std::optional<SmallVector<int64_t>> memfmt::applyMap(AffineMap map,
                                                     ArrayRef<int64_t> values) {
  Type index = IndexType::get(map.getContext());
  SmallVector<Attribute> operands, folded;
  for (int64_t value : values)
    operands.push_back(IntegerAttr::get(index, value));
  if (failed(map.constantFold(operands, folded)))
    return std::nullopt;
  return llvm::map_to_vector(folded, [](Attribute result) {
    return cast<IntegerAttr>(result).getInt();
  });
}

std::optional<int64_t> memfmt::getInteger(Attribute value) {
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  if (!number || number.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

std::optional<double> memfmt::getFloat(Attribute value) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  if (!number)
    return std::nullopt;
  return number.getValueAsDouble();
}

uint64_t ScalarEvaluator::getLoops(Value scalar, linalg::GenericOp generic) {
  auto found = loopsOf.find(scalar);
  if (found != loopsOf.end())
    return found->second;
  uint64_t loops = 0;
  auto addMap = [&](AffineMap map) {
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops |= uint64_t(1) << loop;
  };
  auto argument = dyn_cast<BlockArgument>(scalar);
  Operation *op = scalar.getDefiningOp();
  if (argument && argument.getOwner() == generic.getBody())
    addMap(generic.getMatchingIndexingMap(
        &generic->getOpOperand(argument.getArgNumber())));
  else if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
    loops |= uint64_t(1) << index.getDim();
  else if (op && op->getBlock() == generic.getBody())
    for (Value operand : op->getOperands())
      loops |= getLoops(operand, generic);
  loopsOf[scalar] = loops;
  return loops;
}

Attribute ScalarEvaluator::evaluate(Value scalar, linalg::GenericOp generic,
                                    ArrayRef<int64_t> loops) {
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return constant;
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (argument) {
    if (!generic || argument.getOwner() != generic.getBody())
      return {};
    OpOperand &operand = generic->getOpOperand(argument.getArgNumber());
    if (!isa<RankedTensorType>(operand.get().getType()))
      return evaluate(operand.get(), {}, {});
    std::optional<SmallVector<int64_t>> indices =
        applyMap(generic.getMatchingIndexingMap(&operand), loops);
    return indices ? element(operand.get(), *indices) : Attribute();
  }
  Operation *op = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return IntegerAttr::get(index.getType(), loops[index.getDim()]);
  if (!generic || op->getBlock() != generic.getBody())
    return fold(op, {}, {});
  // The same for all values of the loops that it does not depend on.
  uint64_t used = getLoops(scalar, generic);
  Key key{scalar.getAsOpaquePointer(), {loops.begin(), loops.end()}};
  for (auto [i, loop] : llvm::enumerate(key.second))
    if (!(used >> i & 1))
      loop = 0;
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  return known[key] = fold(op, generic, loops);
}

Attribute ScalarEvaluator::fold(Operation *op, linalg::GenericOp generic,
                                ArrayRef<int64_t> loops) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isPure(op))
    return {};
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<int64_t> indices;
    for (Value index : extract.getIndices()) {
      std::optional<int64_t> value =
          getInteger(evaluate(index, generic, loops));
      if (!value)
        return {};
      indices.push_back(*value);
    }
    return element(extract.getTensor(), indices);
  }
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(operand, generic, loops));
    if (!operands.back())
      return {};
  }
  // Folders may change the operation in place: fold a copy.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  Attribute value;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    value = dyn_cast<Attribute>(results[0]);
    if (!value)
      for (auto [operand, attribute] :
           llvm::zip_equal(op->getOperands(), operands))
        if (operand == cast<Value>(results[0]))
          value = attribute;
  }
  copy->destroy();
  return value;
}

/// The position of an element among all of a tensor; nullopt outside.
static std::optional<int64_t> linearize(RankedTensorType type,
                                        ArrayRef<int64_t> indices) {
  int64_t position = 0;
  for (auto [size, index] : llvm::zip_equal(type.getShape(), indices)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    position = position * size + index;
  }
  return position;
}

/// An element of a constant whose bytes lie outside of the program's text. Null
/// where they are not there, do not fit the type, or need another reading.
static Attribute getResourceElement(Value tensor, int64_t position) {
  Attribute constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return {};
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {};
  Type type = resource.getElementType();
  ArrayRef<char> data = blob->getData();
  auto read = [&](auto value) -> decltype(std::optional(value)) {
    if (data.size() != resource.getNumElements() * sizeof(value))
      return std::nullopt;
    std::memcpy(&value, data.data() + position * sizeof(value), sizeof(value));
    return value;
  };
  if (type.isInteger(64))
    if (auto value = read(int64_t()))
      return IntegerAttr::get(type, *value);
  if (type.isInteger(32))
    if (auto value = read(int32_t()))
      return IntegerAttr::get(type, *value);
  if (type.isF32())
    if (auto value = read(float()))
      return FloatAttr::get(type, APFloat(*value));
  return {};
}

Attribute ScalarEvaluator::element(Value tensor, ArrayRef<int64_t> indices) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape())
    return {};
  std::optional<int64_t> position = linearize(type, indices);
  if (!position)
    return {};
  if (Attribute filled = getFillValue(tensor))
    return filled;
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)))
    return *(dense.value_begin<Attribute>() + *position);
  if (Attribute value = getResourceElement(tensor, *position))
    return value;
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    if (!source.hasStaticShape())
      return {};
    SmallVector<int64_t> before(source.getRank());
    for (int64_t axis = source.getRank() - 1; axis >= 0; --axis) {
      before[axis] = *position % source.getDimSize(axis);
      *position /= source.getDimSize(axis);
    }
    return element(op->getOperand(0), before);
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || !isElementwise(generic))
    return {};
  return evaluate(generic.getBody()->getTerminator()->getOperand(0), generic,
                  indices);
}
