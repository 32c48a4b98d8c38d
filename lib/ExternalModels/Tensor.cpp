//===- Tensor.cpp - formats of tensor operations ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"
#include "PhysicalBuilder.h"
#include "memfmt/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memfmt;

using Values = FailureOr<SmallVector<Value>>;

/// The position of a logical axis in the physical tensor.
static int64_t getPosition(RankedTensorType encoded, int64_t axis) {
  SmallVector<int64_t> order = getPhysicalOrder(encoded);
  return llvm::find(order, axis) - order.begin();
}

namespace {
/// All tensors of equal rank share one format.
template <typename Model, typename OpT>
struct OnePort : FormatOpInterface::ExternalModel<Model, OpT> {
  SmallVector<FormatPort> getFormatPorts(Operation *op) const {
    FormatPort port;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        port.operands.push_back(operand.getOperandNumber());
    auto rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    for (unsigned index : port.operands)
      if (tensorType(op->getOperand(index)).getRank() != rank)
        return {}; // A slice that drops axes: row-major.
    port.results.push_back(0);
    return {port};
  }
  bool isFormatAgnostic(Operation *) const { return true; }
};

struct EmptyFormats : OnePort<EmptyFormats, tensor::EmptyOp> {};
struct ConcatFormats : OnePort<ConcatFormats, tensor::ConcatOp> {};
struct PadFormats : OnePort<PadFormats, tensor::PadOp> {
  SmallVector<FormatPort> getFormatPorts(Operation *op) const {
    if (!cast<tensor::PadOp>(op).getConstantPaddingValue())
      return {};
    return OnePort::getFormatPorts(op);
  }
};
struct ExtractFormats : OnePort<ExtractFormats, tensor::ExtractSliceOp> {};
/// Changes what is known of sizes, never where elements lie.
struct CastFormats : OnePort<CastFormats, tensor::CastOp> {
  SmallVector<FormatPort> getFormatPorts(Operation *op) const {
    if (!isa<RankedTensorType>(op->getOperand(0).getType()) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return {};
    return OnePort::getFormatPorts(op);
  }
};
struct CastView : ViewOpInterface::ExternalModel<CastView, tensor::CastOp> {
  std::optional<StridedLayout>
  getViewLayout(Operation *op, const StridedLayout &source) const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.getRank() != static_cast<int64_t>(source.sizes.size()))
      return std::nullopt;
    StridedLayout layout = source;
    layout.sizes = llvm::to_vector(type.getShape());
    return layout;
  }
};
struct InsertFormats : OnePort<InsertFormats, tensor::InsertSliceOp> {};

template <typename Model, typename OpT>
struct Physical : MaterializeOpInterface::ExternalModel<Model, OpT> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    if (failed(refuseBlocks(op)))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    return static_cast<const Model *>(this)->build(cast<OpT>(op), b, operands);
  }
};

struct EmptyPhysical : Physical<EmptyPhysical, tensor::EmptyOp> {
  Values build(tensor::EmptyOp op, ImplicitLocOpBuilder &b, ValueRange) const {
    return SmallVector<Value>{createEmpty(b, op.getType(), op.getMixedSizes())};
  }
};

struct ConcatPhysical : Physical<ConcatPhysical, tensor::ConcatOp> {
  Values build(tensor::ConcatOp op, ImplicitLocOpBuilder &b,
               ValueRange operands) const {
    RankedTensorType type = op.getType();
    for (Type operand : op->getOperandTypes())
      if (getPhysicalOrder(cast<RankedTensorType>(operand)) !=
          getPhysicalOrder(type))
        return op.emitOpError("expects operands in the format of its result ")
               << type << ", found " << operand;
    return SmallVector<Value>{tensor::ConcatOp::create(
        b, getPhysicalType(type), getPosition(type, op.getDim()), operands)};
  }
};

/// Fails when a one-operand operation would have to change the order.
LogicalResult expectEqualOrder(Operation *op, RankedTensorType a,
                               RankedTensorType b) {
  if (getPhysicalOrder(a) == getPhysicalOrder(b))
    return success();
  return op->emitOpError("expects ") << a << " and " << b << " in one format";
}

struct PadPhysical : Physical<PadPhysical, tensor::PadOp> {
  Values build(tensor::PadOp op, ImplicitLocOpBuilder &b,
               ValueRange operands) const {
    RankedTensorType type = op.getResultType();
    if (failed(expectEqualOrder(op, op.getSourceType(), type)))
      return failure();
    Value value = op.getConstantPaddingValue();
    if (!value) {
      if (isEncoded(type))
        return op.emitOpError("expects a constant padding value in the format "
                              "of ")
               << type;
      return SmallVector<Value>{
          clone(b, op, TypeRange{type}, operands)->getResult(0)};
    }
    // A constant inside the region moves out with its operation.
    if (Operation *definition = value.getDefiningOp();
        definition && op->isAncestor(definition))
      value = b.clone(*definition)->getResult(0);
    return SmallVector<Value>{tensor::PadOp::create(
        b, getPhysicalType(type), operands[0],
        permuteToPhysical<OpFoldResult>(op.getMixedLowPad(), type),
        permuteToPhysical<OpFoldResult>(op.getMixedHighPad(), type), value,
        op.getNofold())};
  }
};

struct ExtractPhysical : Physical<ExtractPhysical, tensor::ExtractSliceOp> {
  Values build(tensor::ExtractSliceOp op, ImplicitLocOpBuilder &b,
               ValueRange operands) const {
    RankedTensorType source = op.getSourceType(), type = op.getType();
    if (!isEncoded(source) && !isEncoded(type))
      return SmallVector<Value>{
          clone(b, op, TypeRange{type}, operands)->getResult(0)};
    if (failed(expectEqualOrder(op, source, type)))
      return failure();
    return SmallVector<Value>{tensor::ExtractSliceOp::create(
        b, getPhysicalType(type), operands[0],
        permuteToPhysical<OpFoldResult>(op.getMixedOffsets(), source),
        permuteToPhysical<OpFoldResult>(op.getMixedSizes(), source),
        permuteToPhysical<OpFoldResult>(op.getMixedStrides(), source))};
  }
};

struct InsertPhysical : Physical<InsertPhysical, tensor::InsertSliceOp> {
  Values build(tensor::InsertSliceOp op, ImplicitLocOpBuilder &b,
               ValueRange operands) const {
    RankedTensorType source = op.getSourceType(), type = op.getType();
    if (!isEncoded(source) && !isEncoded(type))
      return SmallVector<Value>{
          clone(b, op, TypeRange{type}, operands)->getResult(0)};
    if (failed(expectEqualOrder(op, source, type)))
      return failure();
    return SmallVector<Value>{tensor::InsertSliceOp::create(
        b, operands[0], operands[1],
        permuteToPhysical<OpFoldResult>(op.getMixedOffsets(), type),
        permuteToPhysical<OpFoldResult>(op.getMixedSizes(), type),
        permuteToPhysical<OpFoldResult>(op.getMixedStrides(), type))};
  }
};

/// The logical tensor stays: types of two formats make it a conversion.
struct CastPhysical
    : MaterializeOpInterface::ExternalModel<CastPhysical, tensor::CastOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!source || !type)
      return SmallVector<Value>{
          clone(b, op, op->getResultTypes(), operands)->getResult(0)};
    FailureOr<Value> value = convertPhysical(
        b, op, operands[0], source, withFormat(source, type.getEncoding()));
    if (failed(value))
      return failure();
    RankedTensorType physical = getPhysicalType(type);
    if (value->getType() == physical)
      return SmallVector<Value>{*value};
    return SmallVector<Value>{tensor::CastOp::create(b, physical, *value)};
  }
};

struct DimPhysical : Physical<DimPhysical, tensor::DimOp> {
  Values build(tensor::DimOp op, ImplicitLocOpBuilder &b,
               ValueRange operands) const {
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || !isEncoded(type))
      return SmallVector<Value>{
          clone(b, op, op->getResultTypes(), operands)->getResult(0)};
    std::optional<int64_t> axis = op.getConstantIndex();
    if (!axis || *axis < 0 || *axis >= type.getRank())
      return op.emitOpError("expects a constant axis of ") << type;
    return SmallVector<Value>{
        tensor::DimOp::create(b, operands[0], getPosition(type, *axis))};
  }
};
} // namespace

void memfmt::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyFormats, EmptyPhysical>(*context);
    tensor::ConcatOp::attachInterface<ConcatFormats, ConcatPhysical>(*context);
    tensor::CastOp::attachInterface<CastFormats, CastView, CastPhysical>(
        *context);
    tensor::PadOp::attachInterface<PadFormats, PadPhysical>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractFormats, ExtractPhysical>(
        *context);
    tensor::InsertSliceOp::attachInterface<InsertFormats, InsertPhysical>(
        *context);
    tensor::DimOp::attachInterface<DimPhysical>(*context);
  });
}
