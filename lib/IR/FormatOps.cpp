//===- FormatOps.cpp - operations on formats --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace memfmt;

/// Nothing is known of the encodings of other dialects.
static LogicalResult verifyEncodingIsFormat(Operation *op,
                                            RankedTensorType type) {
  if (type.getEncoding() && !isa<FormatAttrInterface>(type.getEncoding()))
    return op->emitOpError("expects a memory format or no encoding, found ")
           << type;
  return success();
}

/// Same logical shape and element type; formats are free.
static LogicalResult verifySameLogicalType(Operation *op,
                                           RankedTensorType input,
                                           RankedTensorType result) {
  if (input.getShape() != result.getShape() ||
      input.getElementType() != result.getElementType())
    return op->emitOpError("expects the logical shape and element type of ")
           << input << ", found " << result;
  return success(succeeded(verifyEncodingIsFormat(op, input)) &&
                 succeeded(verifyEncodingIsFormat(op, result)));
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

std::optional<Attribute> ToFormatOp::getDeclaredFormat() {
  return getResult().getType().getEncoding();
}

std::optional<Attribute> PinOp::getDeclaredFormat() {
  return getResult().getType().getEncoding();
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
  if (failed(verifyEncodingIsFormat(*this, type)) ||
      failed(getFormat().verifyForRank(type.getRank(),
                                       [&] { return emitOpError(); })))
    return failure();
  if (!memfmt::getFormat(type) || isContiguousIn(type, getFormat()) != false)
    return success();
  return emitOpError("asserts ")
         << getFormat() << ", but the type declares " << type;
}

LogicalResult IsContiguousOp::verify() {
  return verifyEncodingIsFormat(*this, getInput().getType());
}

/// Whether the format of a value is the program's word, so that propagation
/// does not change it.
static bool hasDeclaredFormat(TypedValue<RankedTensorType> value) {
  if (value.getType().getEncoding())
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->isEntryBlock() &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return isa<ToFormatOp, PinOp>(op) || matchPattern(op, m_Constant()) ||
         (isa<EmptyLikeOp>(op) &&
          cast<EmptyLikeOp>(op).getOption() != LikeOption::preserve);
}

std::optional<bool> IsContiguousOp::getAnswer() {
  return isContiguousIn(getInput().getType(), getFormat());
}

OpFoldResult IsContiguousOp::fold(FoldAdaptor) {
  RankedTensorType type = getInput().getType();
  if (getFormat().servesRank(type.getRank()) && !hasDeclaredFormat(getInput()))
    return {};
  if (std::optional<bool> answer = getAnswer())
    return BoolAttr::get(getContext(), *answer);
  return {};
}

LogicalResult QueryOp::verify() {
  return verifyEncodingIsFormat(*this, getInput().getType());
}

std::optional<bool> QueryOp::getAnswer() {
  return answerQuery(getInput().getType(), getQuery());
}

OpFoldResult QueryOp::fold(FoldAdaptor) {
  if (!hasDeclaredFormat(getInput()))
    return {};
  if (std::optional<bool> answer = getAnswer())
    return BoolAttr::get(getContext(), *answer);
  return {};
}

//===----------------------------------------------------------------------===//
// EmptyLikeOp
//===----------------------------------------------------------------------===//

LogicalResult EmptyLikeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(verifySameLogicalType(*this, input, result)))
    return failure();
  Attribute expected;
  switch (getOption()) {
  case LikeOption::format:
    return success();
  case LikeOption::preserve:
    return success(); // Propagation gives it its format.
  case LikeOption::contiguous:
    break;
  case LikeOption::channels_last_3d:
    if (input.getRank() != 5)
      return emitOpError("with option `channels_last_3d` expects a tensor of "
                         "rank 5, found rank ")
             << input.getRank();
    [[fallthrough]];
  case LikeOption::channels_last: {
    FormatAttr channelsLast = getChannelsLast(getContext());
    if (failed(channelsLast.verifyForRank(input.getRank(),
                                          [&] { return emitOpError(); })))
      return failure();
    expected = channelsLast;
  }
  }
  if (result.getEncoding() != expected)
    return emitOpError("with option `")
           << stringifyLikeOption(getOption()) << "` expects the result type "
           << RankedTensorType::get(input.getShape(), input.getElementType(),
                                    expected)
           << ", found " << result;
  return success();
}

std::optional<Attribute> EmptyLikeOp::getDeclaredFormat() {
  if (getOption() == LikeOption::preserve)
    return std::nullopt;
  return getResult().getType().getEncoding();
}
