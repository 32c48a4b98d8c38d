//===- InferenceSupport.cpp - shared by shape inference ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace memfmt;

bool StridedLayout::isStatic() const {
  return !isDynamic(offset) && llvm::none_of(sizes, ShapedType::isDynamic) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

bool memfmt::areLogicallyCompatible(TypeRange inferred, TypeRange found) {
  if (inferred.size() != found.size())
    return false;
  for (auto [a, b] : llvm::zip_equal(inferred, found)) {
    auto expected = dyn_cast<RankedTensorType>(a);
    auto type = dyn_cast<RankedTensorType>(b);
    if (!expected || !type || expected.getRank() != type.getRank() ||
        expected.getElementType() != type.getElementType())
      return false;
    for (auto [x, y] : llvm::zip_equal(expected.getShape(), type.getShape()))
      if (!sizesMayAgree(x, y))
        return false;
  }
  return true;
}

LogicalResult memfmt::reportInferredTypes(Operation *op, TypeRange inferred) {
  auto diagnostic = op->emitOpError("expects results of type ");
  llvm::interleaveComma(inferred, diagnostic);
  diagnostic << ", found ";
  llvm::interleaveComma(op->getResultTypes(), diagnostic);
  return diagnostic;
}

LogicalResult memfmt::checkAxes(std::optional<Location> location,
                                StringRef name, ArrayRef<int64_t> axes,
                                int64_t rank) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t axis : axes) {
    if (failed(checkAxis(location, name, axis, rank)))
      return failure();
    if (!seen.insert(axis).second)
      return inferenceError(location, name, "expects each axis once, found ",
                            axis, " twice");
  }
  return success();
}

LogicalResult memfmt::checkList(std::optional<Location> location,
                                StringRef name, StringRef what,
                                ArrayRef<int64_t> values, int64_t count,
                                int64_t least) {
  if (static_cast<int64_t>(values.size()) != count)
    return inferenceError(location, name, "expects `", what, "` with ", count,
                          " values, found ", values.size());
  for (int64_t value : values)
    if (value < least || value > (int64_t(1) << 31))
      return inferenceError(location, name, "expects values of `", what,
                            "` from ", least, " to 2^31, found ", value);
  return success();
}

LogicalResult memfmt::checkVector(std::optional<Location> location,
                                  StringRef name, StringRef what, Value vector,
                                  int64_t size) {
  if (!vector)
    return success();
  RankedTensorType type = rankedType(vector);
  if (type.getRank() != 1)
    return inferenceError(location, name, "expects ", what,
                          " of rank 1, found rank ", type.getRank());
  if (!type.getElementType().isSignlessIntOrIndexOrFloat())
    return inferenceError(location, name, "expects ", what,
                          " of signless numbers, found ",
                          type.getElementType());
  if (!sizesMayAgree(type.getDimSize(0), size))
    return inferenceError(location, name, "expects ", what, " of size ", size,
                          ", found ", type.getDimSize(0));
  return success();
}

FormatPort memfmt::makePort(ArrayRef<unsigned> operands,
                            ArrayRef<unsigned> results) {
  FormatPort port;
  port.operands.assign(operands.begin(), operands.end());
  port.results.assign(results.begin(), results.end());
  return port;
}

std::optional<Attribute> memfmt::getRequestedFormat(MLIRContext *context,
                                                    FormatRequest request) {
  switch (request) {
  case FormatRequest::preserve:
    return std::nullopt;
  case FormatRequest::contiguous:
    return Attribute();
  case FormatRequest::channels_last:
  case FormatRequest::channels_last_3d:
    return getChannelsLast(context);
  }
  llvm_unreachable("unknown request");
}

LogicalResult memfmt::checkRequest(std::optional<Location> location,
                                   StringRef name, FormatRequest request,
                                   int64_t rank) {
  int64_t expected = request == FormatRequest::channels_last      ? 4
                     : request == FormatRequest::channels_last_3d ? 5
                                                                  : rank;
  if (rank == expected)
    return success();
  return inferenceError(
      location, name, "with format `", stringifyFormatRequest(request),
      "` expects a tensor of rank ", expected, ", found rank ", rank);
}
