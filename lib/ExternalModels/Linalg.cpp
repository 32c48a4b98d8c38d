//===- Linalg.cpp - formats of linalg operations ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalBuilder.h"
#include "memfmt/ExternalModels/ExternalModels.h"

using namespace mlir;
using namespace memfmt;

/// Element-wise: all loops parallel, results written through the identity. (An
/// operation that reads loop indices is one too: the loops stay logical.)
static bool isElementwise(linalg::LinalgOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !op.hasPureTensorSemantics())
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isIdentity())
      return false;
  return true;
}

namespace {
/// Tensors that run with all loops of an element-wise operation have its
/// format. Scalars, rows and other broadcast tensors have no say.
template <typename OpT>
struct LinalgFormats
    : FormatOpInterface::ExternalModel<LinalgFormats<OpT>, OpT> {
  SmallVector<FormatPort> getFormatPorts(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!isElementwise(linalgOp))
      return {};
    FormatPort port;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()) &&
          linalgOp.getMatchingIndexingMap(&operand).isIdentity())
        port.operands.push_back(operand.getOperandNumber());
    for (OpResult result : op->getResults())
      port.results.push_back(result.getResultNumber());
    return {port};
  }

  bool isFormatAgnostic(Operation *op) const {
    return isElementwise(cast<linalg::LinalgOp>(op));
  }
};

/// Names the index, if an axis with blocks is read at more than one loop.
static LogicalResult refuseBlockedWindows(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    FormatAttrInterface format = type ? getFormat(type) : nullptr;
    if (!format)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [axis, size] : format.getInnerBlocks())
      if (AffineExpr index = map.getResult(axis);
          isa<AffineBinaryOpExpr>(index)) {
        std::string text;
        llvm::raw_string_ostream(text) << index;
        return op->emitOpError("reads axis ")
               << axis << " of " << type << ", which has blocks, at `" << text
               << "`; convert with `memfmt.to_format` before";
      }
  }
  return success();
}

template <typename OpT>
struct LinalgMaterialize
    : MaterializeOpInterface::ExternalModel<LinalgMaterialize<OpT>, OpT> {
  FailureOr<SmallVector<Value>> materialize(Operation *op, OpBuilder &builder,
                                            ValueRange operands) const {
    if (failed(refuseBlockedWindows(cast<linalg::LinalgOp>(op))) ||
        failed(refuseBlocks(op)))
      return failure();
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getPhysicalType(cast<RankedTensorType>(type)));
    if (llvm::none_of(op->getOperandTypes(), isEncoded)) {
      Operation *copy = clone(builder, op, types, operands);
      return SmallVector<Value>(copy->getResults());
    }
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      maps.push_back(type ? getPhysicalMap(map, type) : map);
    }
    unsigned numInputs = linalgOp.getNumDpsInputs();
    auto generic = linalg::GenericOp::create(
        builder, op->getLoc(), types, operands.take_front(numInputs),
        operands.drop_front(numInputs), maps, linalgOp.getIteratorTypesArray());
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    return SmallVector<Value>(generic.getResults());
  }
};

template <typename... Ops> void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<LinalgFormats<Ops>>(*context), ...);
  (Ops::template attachInterface<LinalgMaterialize<Ops>>(*context), ...);
}
} // namespace

void memfmt::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
