//===- FormatOps.cpp - operations on formats --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace memfmt;

/// Same logical shape and element type; formats are free.
static LogicalResult verifySameLogicalType(Operation *op, RankedTensorType input,
                                           RankedTensorType result) {
  if (input.getShape() != result.getShape() ||
      input.getElementType() != result.getElementType())
    return op->emitOpError("expects the logical shape and element type of ")
           << input << ", found " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// ToFormatOp, PinOp
//===----------------------------------------------------------------------===//

LogicalResult ToFormatOp::verify() {
  return verifySameLogicalType(*this, getInput().getType(),
                               getResult().getType());
}

OpFoldResult ToFormatOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  // Bytes of constants are in logical order until they become physical, so only
  // the type changes.
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return dense.reshape(getResult().getType());
  if (auto resource =
          dyn_cast_or_null<DenseResourceElementsAttr>(adaptor.getInput()))
    return DenseResourceElementsAttr::get(getResult().getType(),
                                          resource.getRawHandle());
  // Two conversions are one; the values between were only moved.
  if (auto before = getInput().getDefiningOp<ToFormatOp>()) {
    if (before.getInput().getType() == getResult().getType())
      return before.getInput();
    getInputMutable().assign(before.getInput());
    return getResult();
  }
  return {};
}

LogicalResult PinOp::verify() {
  return verifySameLogicalType(*this, getInput().getType(),
                               getResult().getType());
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

LogicalResult AssertFormatOp::verify() {
  RankedTensorType type = getInput().getType();
  if (failed(getFormat().verifyForRank(type.getRank(),
                                       [&] { return emitOpError(); })))
    return failure();
  if (isa_and_nonnull<StridedAttr>(type.getEncoding()))
    return success(); // Decided where the memory enters.
  if (!areEquivalent(type, withFormat(type, getFormat())))
    return emitOpError("asserts ")
           << getFormat() << ", but the type declares " << type;
  return success();
}

OpFoldResult IsContiguousOp::fold(FoldAdaptor) {
  RankedTensorType type = getInput().getType();
  // A query of a rank that the format does not serve is answered with no.
  ScopedDiagnosticHandler silence(getContext(),
                                  [](Diagnostic &) { return success(); });
  auto answer = [&](bool value) { return BoolAttr::get(getContext(), value); };
  if (failed(getFormat().verifyForRank(type.getRank(), [&] {
        return mlir::emitError(getLoc());
      })))
    return answer(false);
  if (areEquivalent(type, withFormat(type, getFormat())))
    return answer(true);
  bool open = !type.hasStaticShape();
  if (auto strided = dyn_cast_or_null<StridedAttr>(type.getEncoding()))
    open |= llvm::any_of(strided.getStrides(), ShapedType::isDynamic);
  return open ? OpFoldResult() : OpFoldResult(answer(false));
}

LogicalResult EmptyLikeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(verifySameLogicalType(*this, input, result)))
    return failure();
  StringRef option = getOption();
  Attribute expected;
  if (option == "format")
    return success();
  if (option == "preserve")
    expected = input.getEncoding();
  else if (option == "channels_last")
    expected = getChannelsLast(getContext());
  else if (option != "contiguous")
    return emitOpError("expects option \"preserve\", \"contiguous\", "
                       "\"channels_last\" or \"format\", found \"")
           << option << "\"";
  if (result.getEncoding() != expected)
    return emitOpError("with option \"")
           << option << "\" expects the result type "
           << RankedTensorType::get(input.getShape(), input.getElementType(),
                                    expected)
           << ", found " << result;
  return success();
}
