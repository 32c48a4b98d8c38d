//===- Axes.cpp - permuting, joining and splitting axes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memfmt;

int64_t memfmt::findAxis(AffineMap map, unsigned loop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop))
      return i;
  return -1;
}

bool memfmt::areForward(ArrayRef<int64_t> steps) {
  return llvm::all_of(steps, [](int64_t step) {
    return step > 0 && step < (int64_t(1) << 31);
  });
}

bool memfmt::isIdentityPermutation(ArrayRef<int64_t> permutation) {
  for (auto [i, axis] : llvm::enumerate(permutation))
    if (axis != static_cast<int64_t>(i))
      return false;
  return true;
}

RankedTensorType memfmt::permuteType(RankedTensorType type,
                                     ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(
      permutation, [&](int64_t axis) { return type.getDimSize(axis); });
  return RankedTensorType::get(shape, type.getElementType());
}

Value memfmt::permuteAxes(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  auto permuted = llvm::map_to_vector(
      permutation, [&](int64_t axis) { return sizes[axis]; });
  Value empty = tensor::EmptyOp::create(builder, loc, permuted,
                                        getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)
      ->getResult(0);
}

/// One group per axis of `rank` axes, but `axis` and `axis + 1` in one.
static SmallVector<ReassociationIndices> groupPair(int64_t rank, int64_t axis) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return groups;
}

Value memfmt::joinAxes(OpBuilder &builder, Location loc, Value value,
                       int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::CollapseShapeOp::create(builder, loc, value,
                                         groupPair(type.getRank(), axis));
}

Value memfmt::splitAxis(OpBuilder &builder, Location loc, Value value,
                        RankedTensorType type, int64_t axis) {
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       groupPair(type.getRank(), axis));
}

Value memfmt::insertAxis(OpBuilder &builder, Location loc, Value value,
                         int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  auto result = RankedTensorType::get(shape, type.getElementType());
  return splitAxis(builder, loc, value, result, std::max<int64_t>(axis - 1, 0));
}

Value memfmt::dropAxis(OpBuilder &builder, Location loc, Value value,
                       int64_t axis) {
  return joinAxes(builder, loc, value, std::max<int64_t>(axis - 1, 0));
}
