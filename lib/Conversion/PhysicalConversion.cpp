//===- PhysicalConversion.cpp - encoded to physical tensors -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalConversion.h"

#include "memfmt/IR/Format.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace memfmt;

/// The identity order, too, is part of the type.
static bool isEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<FormatAttrInterface>(tensor.getEncoding());
}

static Type toPhysical(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(getPhysicalType(tensor)) : type;
}

/// Operations that hand values on without looking at them.
static bool passesValuesOn(Operation *op) {
  return isa<RegionBranchOpInterface, BranchOpInterface, CallOpInterface,
             RegionBranchTerminatorOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::ReturnLike>();
}

Value PhysicalConversion::getPhysical(Value value) {
  auto it = physical.find(value);
  return it == physical.end() ? value : it->second;
}

void PhysicalConversion::changeType(Value value, OpBuilder &builder) {
  Type encoded = value.getType();
  value.setType(toPhysical(encoded));
  auto cast = UnrealizedConversionCastOp::create(builder, value.getLoc(),
                                                 encoded, value);
  value.replaceAllUsesExcept(cast.getResult(0), cast);
  physical[cast.getResult(0)] = value;
  replaced.push_back(cast);
}

LogicalResult PhysicalConversion::convertInPlace(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    operand.set(getPhysical(operand.get()));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults())
    if (isEncoded(result.getType()))
      changeType(result, builder);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      builder.setInsertionPointToStart(&block);
      for (BlockArgument argument : block.getArguments())
        if (isEncoded(argument.getType()))
          changeType(argument, builder);
    }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    auto map = [](ArrayRef<Type> types) {
      return llvm::map_to_vector(types, toPhysical);
    };
    function.setType(FunctionType::get(op->getContext(),
                                       map(function.getArgumentTypes()),
                                       map(function.getResultTypes())));
  }
  return success();
}

/// Bodies are copied as they are: what they read from outside must have its
/// logical order.
static LogicalResult refuseEncodedCaptures(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    for (Type type : inner->getOperandTypes())
      if (inner != op && isEncoded(type)) {
        inner->emitOpError("in a body reads a tensor of the encoded type ")
            << type << "; convert with `memfmt.to_format` around the operation";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult PhysicalConversion::convert(Operation *op, Hook hook) {
  if (isa<UnrealizedConversionCastOp>(op) &&
      physical.contains(op->getResult(0)))
    return success();
  if (passesValuesOn(op)) {
    if (failed(convertInPlace(op)))
      return failure();
    for (Region &region : op->getRegions())
      if (failed(convertRegion(region, hook)))
        return failure();
    return success();
  }
  if (isa<MaterializeOpInterface>(op) && failed(refuseEncodedCaptures(op)))
    return failure();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getPhysical(operand));
  OpBuilder builder(op);
  FailureOr<std::optional<SmallVector<Value>>> results =
      hook(op, operands, builder);
  if (failed(results))
    return failure();
  auto interface = dyn_cast<MaterializeOpInterface>(op);
  if (!results->has_value() && interface) {
    FailureOr<SmallVector<Value>> built =
        interface.materialize(builder, operands);
    if (failed(built))
      return failure();
    *results = std::move(*built);
  }
  if (!results->has_value()) {
    for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                        llvm::to_vector(op->getResultTypes())))
      if (isEncoded(type))
        return op->emitOpError("has no physical form for the encoded type ")
               << type << "; convert with `memfmt.to_format` around it";
    for (Region &region : op->getRegions())
      if (failed(convertRegion(region, hook)))
        return failure();
    return success();
  }
  for (auto [old, value] : llvm::zip_equal(op->getResults(), **results)) {
    if (isEncoded(old.getType()))
      physical[old] = value;
    else
      old.replaceAllUsesWith(value);
  }
  replaced.push_back(op);
  return success();
}

LogicalResult PhysicalConversion::convertRegion(Region &region, Hook hook) {
  for (Block &block : region) {
    SmallVector<Operation *> operations;
    for (Operation &op : block)
      operations.push_back(&op);
    for (Operation *op : operations)
      if (failed(convert(op, hook)))
        return failure();
  }
  return success();
}

LogicalResult PhysicalConversion::run(ModuleOp module, Hook hook) {
  if (failed(convertRegion(module.getBodyRegion(), hook)))
    return failure();
  // Readers were replaced after what they read.
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return success();
}
