//===- ReduceOps.cpp - reductions and products ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

static Type getReducedElement(ReduceKind kind, Type element) {
  switch (kind) {
  case ReduceKind::argmax:
  case ReduceKind::argmin:
    return IntegerType::get(element.getContext(), 64);
  case ReduceKind::any:
  case ReduceKind::all:
    return IntegerType::get(element.getContext(), 1);
  default:
    return element;
  }
}

LogicalResult memfmt::ReduceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (failed(checkAxes(location, getOperationName(), axes, type.getRank())))
    return failure();
  bool statistics = adaptor.getKind() == ReduceKind::mean ||
                    adaptor.getKind() >= ReduceKind::var;
  if (statistics && !isa<FloatType>(type.getElementType()))
    return inferenceError(location, getOperationName(), "of kind `",
                          stringifyReduceKind(adaptor.getKind()),
                          "` expects floating point elements, found ",
                          type.getElementType());
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool reduced = axes.empty() || llvm::is_contained(axes, axis);
    if (!reduced)
      shape.push_back(type.getDimSize(axis));
    else if (adaptor.getKeepAxes())
      shape.push_back(1);
  }
  types.push_back(RankedTensorType::get(
      shape, getReducedElement(adaptor.getKind(), type.getElementType())));
  return success();
}

/// The input is read in any format; the result is row-major.
SmallVector<FormatPort> memfmt::ReduceOp::getFormatPorts() {
  return {makePort({0}, {})};
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType a = rankedType(adaptor.getA()),
                   b = rankedType(adaptor.getB());
  if (a.getRank() < 2 || b.getRank() < 2)
    return inferenceError(location, name,
                          "expects operands of rank 2 or more, found ranks ",
                          a.getRank(), " and ", b.getRank());
  if (a.getElementType() != b.getElementType())
    return inferenceError(location, name, "expects one element type, found ",
                          a.getElementType(), " and ", b.getElementType());
  int64_t ra = a.getRank(), rb = b.getRank();
  bool turned = adaptor.getTransposeB();
  int64_t inner = b.getDimSize(turned ? rb - 1 : rb - 2);
  if (!sizesMayAgree(a.getDimSize(ra - 1), inner))
    return inferenceError(location, name,
                          "expects inner sizes that agree, "
                          "found ",
                          a.getDimSize(ra - 1), " and ", inner);
  int64_t rank = std::max(ra, rb);
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    int64_t x = axis >= rank - ra ? a.getDimSize(axis - (rank - ra)) : 1;
    int64_t y = axis >= rank - rb ? b.getDimSize(axis - (rank - rb)) : 1;
    if (x != 1 && y != 1 && !sizesMayAgree(x, y))
      return inferenceError(location, name,
                            "expects leading axes that broadcast, found sizes ",
                            x, " and ", y, " on axis ", axis);
    shape.push_back(x == 1 || (isDynamic(x) && y != 1) ? y : x);
  }
  shape.push_back(a.getDimSize(ra - 2));
  shape.push_back(b.getDimSize(turned ? rb - 2 : rb - 1));
  types.push_back(plainType(shape, a));
  return success();
}
