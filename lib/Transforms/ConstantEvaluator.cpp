//===- ConstantEvaluator.cpp - operations on known tensors ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/ConstantEvaluator.h"

#include "Evaluators.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

/// Tensors of more elements are stored as resources.
static constexpr int64_t kMaxInlineElements = 64;
static constexpr size_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// ConstantTensor
//===----------------------------------------------------------------------===//

std::optional<int64_t> ConstantTensor::getElementBytes(Type elementType) {
  if (elementType.isIndex())
    return sizeof(int64_t);
  if (!elementType.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> ConstantTensor::getNumBytes(Type tensorType) {
  auto type = dyn_cast<RankedTensorType>(tensorType);
  if (!type || !type.hasStaticShape() ||
      (type.getEncoding() && !isa<FormatAttrInterface>(type.getEncoding())))
    return std::nullopt;
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!bytes || llvm::MulOverflow(*bytes, size, *bytes))
      return std::nullopt;
  return bytes;
}

FailureOr<ConstantTensor>
ConstantTensor::get(Attribute attribute,
                    function_ref<InFlightDiagnostic()> emitError) {
  if (isa<IntegerAttr, FloatAttr>(attribute)) {
    Type element = cast<TypedAttr>(attribute).getType();
    attribute = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                       ArrayRef<Attribute>(attribute));
  }
  auto elements = dyn_cast<ElementsAttr>(attribute);
  if (!elements || !getNumBytes(elements.getType()))
    return failure();
  ConstantTensor tensor;
  tensor.type = cast<RankedTensorType>(elements.getType());
  tensor.source = elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute);
      dense && dense.isSplat() && dense.getNumElements() > 0) {
    // Read as a tensor of one element.
    elements =
        dense.resizeSplat(RankedTensorType::get({}, dense.getElementType()));
    tensor.splat = true;
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    if (!resource.getRawHandle().getBlob())
      return failure();
  } else if (!dense) {
    return failure();
  }
  FailureOr<ArrayRef<char>> data =
      getConstantData(elements, tensor.storage, emitError);
  if (failed(data))
    return failure();
  tensor.data = *data;
  return tensor;
}

ConstantTensor ConstantTensor::allocate(RankedTensorType type) {
  ConstantTensor tensor;
  tensor.type = type;
  tensor.blob = HeapAsmResourceBlob::allocate(*getNumBytes(type), kAlignment);
  tensor.data = tensor.blob->getData();
  return tensor;
}

ConstantTensor ConstantTensor::getSplat(RankedTensorType type,
                                        ArrayRef<char> element) {
  ConstantTensor tensor;
  tensor.type = type;
  tensor.splat = true;
  tensor.storage.assign(element.begin(), element.end());
  tensor.data = tensor.storage;
  return tensor;
}

char *ConstantTensor::getMutableData() { return blob->getMutableData().data(); }

ConstantTensor ConstantTensor::withType(RankedTensorType other) const {
  ConstantTensor tensor;
  tensor.type = other;
  tensor.splat = splat;
  tensor.data = data;
  if (auto dense = dyn_cast<DenseElementsAttr>(source))
    tensor.source = dense.reshape(other);
  else
    tensor.source = DenseResourceElementsAttr::get(
        other, cast<DenseResourceElementsAttr>(source).getRawHandle());
  return tensor;
}

TypedAttr ConstantTensor::release(StringRef name) {
  if (source)
    return cast<TypedAttr>(source);
  if (!splat && type.getNumElements() > kMaxInlineElements)
    return DenseResourceElementsAttr::get(type, name, std::move(*blob));
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<bool> bits(data.begin(), data.end());
  return DenseElementsAttr::get(type, ArrayRef<bool>(bits));
}

//===----------------------------------------------------------------------===//
// ConstantEvaluators
//===----------------------------------------------------------------------===//

ConstantEvaluators::ConstantEvaluators(Dialect *dialect) : Base(dialect) {
  addMovementEvaluators(*this);
  addLinalgEvaluators(*this);
  addFloatScalars(*this);
  addIntegerScalars(*this);
  addCastScalars(*this);
}

ConstantEvaluators &ConstantEvaluators::get(MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<MemFmtDialect>();
  if (auto *registry = dialect->getRegisteredInterface<ConstantEvaluators>())
    return const_cast<ConstantEvaluators &>(*registry);
  return dialect->addInterface<ConstantEvaluators>();
}

void ConstantEvaluators::add(StringRef name, Evaluator evaluate,
                             bool keepsSplats) {
  entries[name] = {std::move(evaluate), keepsSplats};
}

void ConstantEvaluators::addScalar(StringRef name, ScalarBinder bind) {
  scalars[name] = std::move(bind);
  add(
      name,
      [this](Operation *op, ConstantOperands operands) {
        return evaluateElementwise(*this, op, operands);
      },
      /*keepsSplats=*/true);
}

const ConstantEvaluators::Entry *
ConstantEvaluators::lookup(Operation *op) const {
  auto it = entries.find(op->getName().getStringRef());
  return it == entries.end() ? nullptr : &it->second;
}

ScalarFunction ConstantEvaluators::bindScalar(Operation *op) const {
  auto it = scalars.find(op->getName().getStringRef());
  return it == scalars.end() ? ScalarFunction() : it->second(op);
}

void memfmt::registerConstantEvaluators(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemFmtDialect *dialect) {
    dialect->addInterface<ConstantEvaluators>();
  });
}

SmallVector<ConstantTensor, 1> memfmt::asResults(ConstantTensor &&tensor) {
  SmallVector<ConstantTensor, 1> results;
  results.push_back(std::move(tensor));
  return results;
}
