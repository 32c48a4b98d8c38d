//===- MemFmtFormat.cpp - physical forms of format operations ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"
#include "PhysicalBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// The inner blocks of a format as tiles of `linalg.pack`, which takes an axis
/// only once: one tile for each blocked axis, split into its blocks afterwards.
struct Tiling {
  Tiling(OpBuilder &b, RankedTensorType encoded);

  /// Blocks that are no tiles as they stand.
  bool isSplit() const { return splitShape.size() != tiledShape.size(); }

  SmallVector<int64_t> positions;
  SmallVector<OpFoldResult> tiles;
  /// The outer sizes followed by one tile for each axis, and by its blocks.
  SmallVector<int64_t> tiledShape, splitShape;
  SmallVector<ReassociationIndices> split;
  /// From the blocks by axis to the order of the format.
  SmallVector<int64_t> permutation;
};
} // namespace

Tiling::Tiling(OpBuilder &b, RankedTensorType encoded) {
  int64_t rank = encoded.getRank();
  SmallVector<std::pair<int64_t, int64_t>> blocks =
      getFormat(encoded).getInnerBlocks();
  auto outer = getPhysicalType(encoded).getShape().take_front(rank);
  tiledShape.assign(outer.begin(), outer.end());
  splitShape = tiledShape;
  permutation.resize(rank + blocks.size());
  for (int64_t i = 0; i < rank; ++i) {
    split.push_back({i});
    permutation[i] = i;
  }
  for (auto [axis, size] : blocks) {
    if (llvm::is_contained(positions, axis))
      continue;
    int64_t tile = 1;
    ReassociationIndices parts;
    for (auto [i, block] : llvm::enumerate(blocks)) {
      if (block.first != axis)
        continue;
      tile *= block.second;
      permutation[rank + i] = splitShape.size();
      parts.push_back(splitShape.size());
      splitShape.push_back(block.second);
    }
    positions.push_back(axis);
    tiles.push_back(b.getIndexAttr(tile));
    tiledShape.push_back(tile);
    split.push_back(parts);
  }
}

static Value transpose(ImplicitLocOpBuilder &b, Value source,
                       ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  Value dest = tensor::EmptyOp::create(
      b, applyPermutation(type.getShape(), permutation), type.getElementType());
  return linalg::TransposeOp::create(b, source, dest, permutation)
      ->getResult(0);
}

/// `linalg.pack` of a row-major tensor into a blocked format.
static Value packInto(ImplicitLocOpBuilder &b, Value source,
                      RankedTensorType encoded) {
  Tiling tiling(b, encoded);
  Type element = encoded.getElementType();
  Value dest = tensor::EmptyOp::create(b, tiling.tiledShape, element);
  Value packed =
      linalg::PackOp::create(b, source, dest, tiling.positions, tiling.tiles,
                             createZero(b, element),
                             getFormat(encoded).getOrder(encoded.getRank()))
          .getResult();
  if (!tiling.isSplit())
    return packed;
  Value split = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(tiling.splitShape, element), packed,
      tiling.split);
  return transpose(b, split, tiling.permutation);
}

/// The inverse: the padding is dropped.
static Value unpackFrom(ImplicitLocOpBuilder &b, Value source,
                        RankedTensorType encoded) {
  Tiling tiling(b, encoded);
  Type element = encoded.getElementType();
  if (tiling.isSplit())
    source = tensor::CollapseShapeOp::create(
        b, RankedTensorType::get(tiling.tiledShape, element),
        transpose(b, source, invertPermutationVector(tiling.permutation)),
        tiling.split);
  Value dest = tensor::EmptyOp::create(b, encoded.getShape(), element);
  return linalg::UnPackOp::create(
             b, source, dest, tiling.positions, tiling.tiles,
             getFormat(encoded).getOrder(encoded.getRank()))
      .getResult();
}

static bool isBlocked(RankedTensorType type) {
  FormatAttrInterface format = getFormat(type);
  return format && !format.getInnerBlocks().empty();
}

/// Sizes of 1 change their place without moving a byte.
static Value reshape(ImplicitLocOpBuilder &b, Value source,
                     RankedTensorType result) {
  if (source.getType() == result)
    return source;
  int64_t rank = result.getRank();
  // All axes into one, then apart again: exact for static row-major shapes.
  auto flat =
      RankedTensorType::get({result.getNumElements()}, result.getElementType());
  SmallVector<ReassociationIndices> all(1);
  for (int64_t i = 0; i < rank; ++i)
    all[0].push_back(i);
  Value collapsed = tensor::CollapseShapeOp::create(b, flat, source, all);
  return tensor::ExpandShapeOp::create(b, result, collapsed, all);
}

/// Names the axis that no dense order has.
static LogicalResult refuseStrides(Operation *op, RankedTensorType type) {
  InFlightDiagnostic error =
      op->emitOpError("has no lowering for strided memory: ") << type;
  FailureOr<SmallVector<int64_t>> strides =
      getFormat(type).getStrides(type.getShape());
  if (succeeded(strides))
    for (auto [axis, stride] : llvm::enumerate(*strides))
      if (!ShapedType::isDynamic(stride) && stride <= 0 &&
          type.getDimSize(axis) != 1) {
        error << ", whose axis " << axis << " has stride " << stride;
        break;
      }
  return error << "; declare a dense tensor by the order of its axes "
                  "(#memfmt.format), and copy any other before";
}

FailureOr<Value> memfmt::convertPhysical(ImplicitLocOpBuilder &b, Operation *op,
                                         Value source, RankedTensorType from,
                                         RankedTensorType to) {
  for (RankedTensorType type : {from, to})
    if (isa_and_nonnull<StridedAttr>(type.getEncoding()) &&
        !areEquivalent(type, withFormat(type, {})))
      return refuseStrides(op, type);
  RankedTensorType physical = getPhysicalType(to);
  bool fixed = from.hasStaticShape() && from.getRank() > 0;
  if (fixed && areEquivalent(from, to) && !isBlocked(from) && !isBlocked(to))
    return reshape(b, source, physical);
  if (isBlocked(from) || isBlocked(to)) {
    if (!from.hasStaticShape())
      return op->emitOpError(
                 "expects static shapes for blocked formats, found ")
             << from;
    RankedTensorType plain = withFormat(from, {});
    if (isBlocked(from))
      source = unpackFrom(b, source, from);
    else if (FailureOr<Value> value =
                 convertPhysical(b, op, source, from, plain);
             succeeded(value))
      source = *value;
    else
      return failure();
    if (isBlocked(to))
      return packInto(b, source, to);
    return convertPhysical(b, op, source, plain, to);
  }
  SmallVector<int64_t> fromOrder = getPhysicalOrder(from), permutation;
  for (int64_t axis : getPhysicalOrder(to))
    permutation.push_back(llvm::find(fromOrder, axis) - fromOrder.begin());
  if (llvm::is_sorted(permutation))
    return source;
  SmallVector<OpFoldResult> sizes,
      mixed = tensor::getMixedSizes(b, b.getLoc(), source);
  for (int64_t dim : permutation)
    sizes.push_back(mixed[dim]);
  Value dest = tensor::EmptyOp::create(b, sizes, to.getElementType());
  return linalg::TransposeOp::create(b, source, dest, permutation)
      ->getResult(0);
}

using Values = FailureOr<SmallVector<Value>>;

namespace {
/// Conversions and pins: both are written `input to result`.
template <typename OpT>
struct ConversionPhysical
    : MaterializeOpInterface::ExternalModel<ConversionPhysical<OpT>, OpT> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    auto conversion = cast<OpT>(op);
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    FailureOr<Value> value =
        convertPhysical(b, op, operands[0], conversion.getInput().getType(),
                        conversion.getResult().getType());
    if (failed(value))
      return failure();
    return SmallVector<Value>{*value};
  }
};

struct AssertPhysical
    : MaterializeOpInterface::ExternalModel<AssertPhysical, AssertFormatOp> {
  Values materialize(Operation *, OpBuilder &, ValueRange operands) const {
    return SmallVector<Value>{operands[0]};
  }
};

struct EmptyLikePhysical
    : MaterializeOpInterface::ExternalModel<EmptyLikePhysical, EmptyLikeOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    auto empty = cast<EmptyLikeOp>(op);
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    RankedTensorType input = empty.getInput().getType();
    if (!input.hasStaticShape()) {
      // Sizes in logical order, read from the physical operand.
      if (failed(refuseBlocks(op)))
        return failure();
      SmallVector<OpFoldResult> mixed =
          tensor::getMixedSizes(b, b.getLoc(), operands[0]);
      SmallVector<OpFoldResult> sizes(mixed.size());
      for (auto [position, axis] : llvm::enumerate(getPhysicalOrder(input)))
        sizes[axis] = mixed[position];
      return SmallVector<Value>{
          createEmpty(b, empty.getResult().getType(), sizes)};
    }
    RankedTensorType physical = getPhysicalType(empty.getResult().getType());
    return SmallVector<Value>{tensor::EmptyOp::create(
        b, physical.getShape(), physical.getElementType())};
  }
};
} // namespace

void memfmt::attachFormatModels(MLIRContext *context) {
  ToFormatOp::attachInterface<ConversionPhysical<ToFormatOp>>(*context);
  PinOp::attachInterface<ConversionPhysical<PinOp>>(*context);
  AssertFormatOp::attachInterface<AssertPhysical>(*context);
  EmptyLikeOp::attachInterface<EmptyLikePhysical>(*context);
}
