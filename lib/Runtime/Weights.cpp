//===- Weights.cpp - data for the resources of a module ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Weights.h"

#include "memfmt/Runtime/TensorFile.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace memfmt::runtime;

std::optional<ElementType> memfmt::runtime::getHostType(Type type) {
  if (type.isF32())
    return ElementType::f32;
  if (type.isF64())
    return ElementType::f64;
  if (type.isF16())
    return ElementType::f16;
  if (type.isBF16())
    return ElementType::bf16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::i1;
  case 8:
    return isUnsigned ? ElementType::u8 : ElementType::i8;
  case 16:
    return isUnsigned ? ElementType::u16 : ElementType::i16;
  case 32:
    return isUnsigned ? ElementType::u32 : ElementType::i32;
  case 64:
    return isUnsigned ? ElementType::u64 : ElementType::i64;
  default:
    return std::nullopt;
  }
}

/// NumPy has no bf16: its arrays come as 16-bit integers.
static bool fits(ElementType found, ElementType expected) {
  if (found == expected)
    return true;
  return expected == ElementType::bf16 &&
         (found == ElementType::u16 || found == ElementType::i16);
}

/// Equal but for axes of size 1, which do not change the order of elements.
static bool sameButUnitAxes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  auto isLong = [](int64_t size) { return size != 1; };
  return llvm::equal(llvm::make_filter_range(a, isLong),
                     llvm::make_filter_range(b, isLong));
}

/// Checks the array against the type that the program gives it.
static LogicalResult checkWeight(Operation *op, StringRef key,
                                 const HostTensor &tensor, ShapedType type,
                                 bool exactShape) {
  std::optional<ElementType> expected = getHostType(type.getElementType());
  if (!expected)
    return op->emitError("weight \"") << key << "\" has the type " << type
                                      << ", which no weight file can hold";
  bool shapeFits = exactShape
                       ? tensor.getShape() == type.getShape()
                       : sameButUnitAxes(tensor.getShape(), type.getShape());
  if (shapeFits && fits(tensor.getElementType(), *expected))
    return success();
  return op->emitError("weight \"")
         << key << "\" expects " << type << ", found " << tensor.getTypeName();
}

static LogicalResult bindResource(Operation *op,
                                  DenseResourceElementsAttr attribute,
                                  const TensorFile *file) {
  DenseResourceElementsHandle handle = attribute.getRawHandle();
  StringRef key = handle.getKey();
  auto type = cast<ShapedType>(attribute.getType());
  if (!file || !file->contains(key)) {
    if (handle.getBlob())
      return success();
    InFlightDiagnostic diagnostic = op->emitError("weight \"")
                                    << key << "\" of type " << type
                                    << " has no data";
    if (file)
      diagnostic << ", and the weights given do not contain it";
    else
      diagnostic << "; give it with --weights";
    return diagnostic;
  }
  llvm::Expected<HostTensor> tensor = file->get(key);
  if (!tensor)
    return op->emitError("weight \"")
           << key << "\": " << llvm::toString(tensor.takeError());
  if (failed(checkWeight(op, key, *tensor, type, file->hasExactShapes())))
    return failure();
  // The blob keeps the array, which keeps the mapped file.
  auto &manager =
      *handle.getDialect()
           ->getRegisteredInterface<ResourceBlobManagerDialectInterface>();
  manager.getBlobManager().update(
      key, AsmResourceBlob(
               tensor->getBytes(), /*dataAlignment=*/1,
               [keep = *tensor](void *, size_t, size_t) {},
               /*dataIsMutable=*/false));
  return success();
}

LogicalResult memfmt::runtime::bindWeights(ModuleOp module,
                                           const TensorFile *file) {
  // One check for each use: a key may be read as different types.
  bool holds = true;
  AttrTypeWalker walker;
  Operation *current = nullptr;
  walker.addWalk([&](DenseResourceElementsAttr attribute) {
    holds &= succeeded(bindResource(current, attribute, file));
    return holds ? WalkResult::advance() : WalkResult::interrupt();
  });
  module->walk([&](Operation *op) {
    current = op;
    return walker.walk(op->getAttrDictionary()).wasInterrupted()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return success(holds);
}
