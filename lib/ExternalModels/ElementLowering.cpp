//===- ElementLowering.cpp - loops over the elements of a result -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/ExternalModels/ElementLowering.h"

#include "PhysicalBuilder.h"

using namespace mlir;
using namespace memfmt;

using Values = FailureOr<SmallVector<Value>>;

namespace {
/// Logical indices of a format, and the physical ones of the same element.
class AddressMap {
public:
  explicit AddressMap(RankedTensorType type)
      : rank(type.getRank()), order(getPhysicalOrder(type)),
        shape(type.getShape()) {
    if (FormatAttrInterface format = getFormat(type))
      blocks = format.getInnerBlocks();
  }

  /// Where the element at `logical` lies.
  SmallVector<Value> toPhysical(ScalarBuilder &s, ValueRange logical) const;
  /// The element that lies at `physical`; beyond the shape in the padding.
  SmallVector<Value> toLogical(ScalarBuilder &s, ValueRange physical) const;
  /// Axes that blocks may pad.
  SmallVector<int64_t> getPaddedAxes() const;

private:
  /// The product of the blocks of this axis from the given one inwards.
  int64_t getBlockProduct(int64_t axis, unsigned from) const;

  int64_t rank;
  SmallVector<int64_t> order;
  SmallVector<std::pair<int64_t, int64_t>> blocks;
  ArrayRef<int64_t> shape;
};
} // namespace

int64_t AddressMap::getBlockProduct(int64_t axis, unsigned from) const {
  int64_t product = 1;
  for (unsigned i = from; i < blocks.size(); ++i)
    if (blocks[i].first == axis)
      product *= blocks[i].second;
  return product;
}

SmallVector<Value> AddressMap::toPhysical(ScalarBuilder &s,
                                          ValueRange logical) const {
  SmallVector<Value> physical;
  for (int64_t axis : order) {
    int64_t block = getBlockProduct(axis, 0);
    physical.push_back(block == 1 ? logical[axis]
                                  : s.div(logical[axis], s.index(block)));
  }
  for (auto [i, block] : llvm::enumerate(blocks)) {
    auto [axis, size] = block;
    int64_t inner = getBlockProduct(axis, i + 1);
    Value position = logical[axis];
    if (inner != 1)
      position = s.div(position, s.index(inner));
    physical.push_back(s.mod(position, s.index(size)));
  }
  return physical;
}

SmallVector<Value> AddressMap::toLogical(ScalarBuilder &s,
                                         ValueRange physical) const {
  SmallVector<Value> logical(rank);
  for (auto [position, axis] : llvm::enumerate(order)) {
    int64_t block = getBlockProduct(axis, 0);
    logical[axis] = block == 1 ? physical[position]
                               : s.mul(physical[position], s.index(block));
  }
  for (auto [i, block] : llvm::enumerate(blocks)) {
    auto [axis, size] = block;
    int64_t inner = getBlockProduct(axis, i + 1);
    Value position = physical[rank + i];
    if (inner != 1)
      position = s.mul(position, s.index(inner));
    logical[axis] = s.add(logical[axis], position);
  }
  return logical;
}

SmallVector<int64_t> AddressMap::getPaddedAxes() const {
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (shape[axis] % getBlockProduct(axis, 0) != 0)
      axes.push_back(axis);
  return axes;
}

/// Sizes are static, or those of an operand of the same port.
static LogicalResult getResultSizes(ImplicitLocOpBuilder &b, Operation *op,
                                    unsigned number, ValueRange operands,
                                    SmallVectorImpl<OpFoldResult> &sizes) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  Value like;
  if (auto interface = dyn_cast<FormatOpInterface>(op))
    for (const FormatPort &port : interface.getFormatPorts())
      if (llvm::is_contained(port.results, number) && !port.operands.empty())
        like = op->getOperand(port.operands.front());
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (!type.isDynamicDim(axis)) {
      sizes.push_back(b.getIndexAttr(type.getDimSize(axis)));
      continue;
    }
    auto likeType = like ? dyn_cast<RankedTensorType>(like.getType()) : nullptr;
    // The batch is never changed; other axes only where the shapes are equal.
    if (!likeType || !(axis == 0 || likeType.getShape() == type.getShape()))
      return op->emitOpError("has a reference lowering only for static sizes, "
                             "found ")
             << type;
    SmallVector<int64_t> order = getPhysicalOrder(likeType);
    int64_t position = llvm::find(order, axis) - order.begin();
    unsigned index =
        llvm::find(op->getOperands(), like) - op->getOperands().begin();
    sizes.push_back(
        tensor::getMixedSize(b, b.getLoc(), operands[index], position));
  }
  return success();
}

/// One result: loops over its physical shape.
static FailureOr<Value> materializeResult(ImplicitLocOpBuilder &b,
                                          Operation *op, unsigned number,
                                          ValueRange operands) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  SmallVector<OpFoldResult> sizes;
  if (failed(getResultSizes(b, op, number, operands, sizes)))
    return failure();
  RankedTensorType physical = getPhysicalType(type);
  Value init;
  if (physical.hasStaticShape())
    init = tensor::EmptyOp::create(b, physical.getShape(),
                                   physical.getElementType());
  else
    init = createEmpty(b, type, sizes);
  AddressMap map(type);
  auto read = [&](unsigned operand, ValueRange indices) -> Value {
    ScalarBuilder s(b);
    auto encoded =
        dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
    if (!encoded)
      return operands[operand];
    return tensor::ExtractOp::create(
        b, operands[operand], AddressMap(encoded).toPhysical(s, indices));
  };
  auto size = [&](unsigned operand, int64_t axis) -> Value {
    auto encoded = cast<RankedTensorType>(op->getOperand(operand).getType());
    if (!encoded.isDynamicDim(axis))
      return arith::ConstantIndexOp::create(b, encoded.getDimSize(axis));
    SmallVector<int64_t> order = getPhysicalOrder(encoded);
    return tensor::DimOp::create(b, operands[operand],
                                 llvm::find(order, axis) - order.begin());
  };
  unsigned loops = physical.getRank();
  auto body = [&](OpBuilder &inner, Location loc, ValueRange) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
    ScalarBuilder s(b);
    SmallVector<Value> position;
    for (unsigned i = 0; i < loops; ++i)
      position.push_back(linalg::IndexOp::create(b, i));
    SmallVector<Value> logical = map.toLogical(s, position);
    auto build = [&] {
      return cast<ElementOpInterface>(op).buildElement(
          b, number, logical, ElementReader{read, size});
    };
    Value isElement;
    for (int64_t axis : map.getPaddedAxes()) {
      Value within = s.lt(logical[axis], s.index(type.getDimSize(axis)));
      isElement = isElement ? s.andOf(isElement, within) : within;
    }
    Value element = isElement ? s.guarded(isElement, build,
                                          s.constant(type.getElementType(), 0))
                              : build();
    linalg::YieldOp::create(b, element);
  };
  return linalg::GenericOp::create(
             b, TypeRange{init.getType()}, ValueRange{}, ValueRange{init},
             ArrayRef<AffineMap>{b.getMultiDimIdentityMap(loops)},
             SmallVector<utils::IteratorType>(loops,
                                              utils::IteratorType::parallel),
             body)
      .getResult(0);
}

Values memfmt::materializeElements(Operation *op, OpBuilder &builder,
                                   ValueRange operands) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      FormatAttrInterface format = getFormat(tensor);
      if (isa_and_nonnull<StridedAttr>(format))
        return op->emitOpError("has no reference lowering for strided memory: ")
               << tensor << "; convert with `memfmt.to_format` before";
      if (format && !format.getInnerBlocks().empty() &&
          !tensor.hasStaticShape())
        return op->emitOpError(
                   "expects static shapes for blocked formats, found ")
               << tensor;
    }
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  SmallVector<Value> results;
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i) {
    FailureOr<Value> result = materializeResult(b, op, i, operands);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}
