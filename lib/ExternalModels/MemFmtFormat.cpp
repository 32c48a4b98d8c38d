//===- MemFmtFormat.cpp - physical forms of format operations ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"
#include "PhysicalBuilder.h"

using namespace mlir;
using namespace memfmt;

/// `linalg.pack` of a row-major tensor into a blocked format.
static Value packInto(ImplicitLocOpBuilder &b, Value source,
                      RankedTensorType encoded) {
  FormatAttrInterface format = getFormat(encoded);
  SmallVector<int64_t> positions;
  SmallVector<OpFoldResult> tiles;
  for (auto [axis, size] : format.getInnerBlocks()) {
    positions.push_back(axis);
    tiles.push_back(b.getIndexAttr(size));
  }
  RankedTensorType physical = getPhysicalType(encoded);
  Value dest = tensor::EmptyOp::create(b, physical.getShape(),
                                       physical.getElementType());
  return linalg::PackOp::create(b, source, dest, positions, tiles,
                                createZero(b, encoded.getElementType()),
                                format.getOrder(encoded.getRank()))
      .getResult();
}

/// The inverse: the padding is dropped.
static Value unpackFrom(ImplicitLocOpBuilder &b, Value source,
                        RankedTensorType encoded) {
  FormatAttrInterface format = getFormat(encoded);
  SmallVector<int64_t> positions;
  SmallVector<OpFoldResult> tiles;
  for (auto [axis, size] : format.getInnerBlocks()) {
    positions.push_back(axis);
    tiles.push_back(b.getIndexAttr(size));
  }
  Value dest =
      tensor::EmptyOp::create(b, encoded.getShape(), encoded.getElementType());
  return linalg::UnPackOp::create(b, source, dest, positions, tiles,
                                  format.getOrder(encoded.getRank()))
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

FailureOr<Value> memfmt::convertPhysical(ImplicitLocOpBuilder &b, Operation *op,
                                         Value source, RankedTensorType from,
                                         RankedTensorType to) {
  for (RankedTensorType type : {from, to})
    if (isa_and_nonnull<StridedAttr>(type.getEncoding()) &&
        !areEquivalent(type, withFormat(type, {})))
      return op->emitOpError("has no lowering for strided memory: ")
             << type << "; pass a tensor whose axes are dense in some order";
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
