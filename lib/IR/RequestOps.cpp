//===- RequestOps.cpp - formats asked for -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

using namespace mlir;
using namespace memfmt;

/// Shape of the operand; the element type is the program's choice.
static bool haveSameShape(TypeRange inferred, TypeRange found) {
  auto a = cast<RankedTensorType>(inferred[0]);
  auto b = cast<RankedTensorType>(found[0]);
  return areLogicallyCompatible(TypeRange{a.clone(b.getElementType())},
                                TypeRange{b});
}

//===----------------------------------------------------------------------===//
// RequestFormatOp
//===----------------------------------------------------------------------===//

LogicalResult RequestFormatOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  if (failed(checkRequest(location, getOperationName(), adaptor.getFormat(),
                          type.getRank())))
    return failure();
  types.push_back(withFormat(type, {}));
  return success();
}

bool RequestFormatOp::isCompatibleReturnTypes(TypeRange inferred,
                                              TypeRange found) {
  return haveSameShape(inferred, found);
}

LogicalResult RequestFormatOp::verify() {
  Type from = getInput().getType().getElementType(),
       to = getResult().getType().getElementType();
  if (from == to)
    return success();
  if (getKind() != RequestKind::to)
    return emitOpError("converts elements only with `to`, found ")
           << from << " and " << to;
  if (!from.isIntOrIndexOrFloat() || !to.isIntOrIndexOrFloat())
    return emitOpError("expects numbers, found ") << from << " and " << to;
  return success();
}

/// `to` with nothing asked for.
OpFoldResult RequestFormatOp::fold(FoldAdaptor) {
  if (getKind() != RequestKind::to || getCopy() ||
      getFormat() != FormatRequest::preserve)
    return {};
  return foldToInput(getInput(), getResult());
}

std::optional<Attribute> RequestFormatOp::getDeclaredFormat() {
  return getRequestedFormat(getContext(), getFormat());
}

//===----------------------------------------------------------------------===//
// FullLikeOp
//===----------------------------------------------------------------------===//

LogicalResult FullLikeOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  if (failed(checkRequest(location, getOperationName(), adaptor.getFormat(),
                          type.getRank())))
    return failure();
  types.push_back(withFormat(type, {}));
  return success();
}

bool FullLikeOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange found) {
  return haveSameShape(inferred, found);
}

LogicalResult FullLikeOp::verify() {
  if (!getResult().getType().getElementType().isIntOrIndexOrFloat())
    return emitOpError("expects a result of numbers, found ")
           << getResult().getType();
  return success();
}

std::optional<Attribute> FullLikeOp::getDeclaredFormat() {
  return getRequestedFormat(getContext(), getFormat());
}
