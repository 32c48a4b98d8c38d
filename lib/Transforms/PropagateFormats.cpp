//===- PropagateFormats.cpp - infer a format for every tensor ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/FormatPasses.h"

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/Analysis/FormatLattice.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace memfmt {
#define GEN_PASS_DEF_PROPAGATEFORMATS
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

namespace {
struct PropagateFormats : memfmt::impl::PropagateFormatsBase<PropagateFormats> {
  void runOnOperation() override {
    // Operands come first in pre-order: block by block, operation by operation.
    SmallVector<Operation *> operations;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations)
      if (!answerQuery(op))
        visit(op);
  }

private:
  bool answerQuery(Operation *op);
  void visit(Operation *op);
  void propagate(FormatOpInterface op);
  void requireRowMajor(OpOperand &operand);
  void matchInit(DestinationStyleOpInterface op, OpResult result);

  CompileTimeAnalysis compileTime;
};
} // namespace

/// Queries speak of the program as it is written; their answers are frozen
/// here. What the type does not decide (dynamic sizes, a strided view) stays.
bool PropagateFormats::answerQuery(Operation *op) {
  if (auto assertion = dyn_cast<AssertFormatOp>(op)) {
    RankedTensorType type = assertion.getInput().getType();
    if (isContiguousIn(type, assertion.getFormat()) == false) {
      assertion.emitOpError("asserts ")
          << assertion.getFormat() << ", but the value has type " << type
          << "; convert it with `memfmt.to_format` before";
      signalPassFailure();
    }
    assertion.replaceAllUsesWith(assertion.getInput());
    assertion.erase();
    return true;
  }
  auto query = dyn_cast<IsContiguousOp>(op);
  if (!query)
    return false;
  std::optional<bool> answer =
      isContiguousIn(query.getInput().getType(), query.getFormat());
  if (!answer)
    return false;
  OpBuilder builder(op);
  query.replaceAllUsesWith(
      arith::ConstantOp::create(builder, op->getLoc(),
                                builder.getBoolAttr(*answer))
          .getResult());
  query.erase();
  return true;
}

void PropagateFormats::visit(Operation *op) {
  // `preserve` follows its operand.
  if (auto like = dyn_cast<EmptyLikeOp>(op);
      like && like.getOption() == LikeOption::preserve)
    like.getResult().setType(like.getInput().getType());
  // Conversions and pins say their own format.
  if (isa<ToFormatOp, PinOp, EmptyLikeOp, IsContiguousOp>(op))
    return;
  if (auto interface = dyn_cast<FormatOpInterface>(op))
    return propagate(interface);
  for (OpOperand &operand : op->getOpOperands())
    requireRowMajor(operand);
}

/// Makes a tensor row-major for a reader that knows no other format. What such
/// a reader declares itself (the signature of a function) is respected.
void PropagateFormats::requireRowMajor(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !getFormat(type))
    return;
  Operation *op = operand.getOwner();
  RankedTensorType wanted = withFormat(type, {});
  if (op->hasTrait<OpTrait::ReturnLike>())
    if (auto function = dyn_cast<FunctionOpInterface>(op->getParentOp()))
      wanted = cast<RankedTensorType>(
          function.getResultTypes()[operand.getOperandNumber()]);
  if (wanted == type)
    return;
  if (!areEquivalent(wanted, type)) {
    ++numLost;
    op->emitRemark("format ")
        << getFormat(type) << " of operand " << operand.getOperandNumber()
        << " is lost: `" << op->getName() << "` takes " << wanted;
  }
  // Nothing is converted inside a computation.
  Operation *place = op;
  while (isa<FormatOpInterface>(place->getParentOp()))
    place = place->getParentOp();
  OpBuilder builder(place);
  operand.set(ToFormatOp::create(builder, op->getLoc(), wanted, operand.get()));
}

/// A destination has the type of its result.
void PropagateFormats::matchInit(DestinationStyleOpInterface op,
                                 OpResult result) {
  OpOperand *init = op.getTiedOpOperand(result);
  if (init->get().getType() == result.getType())
    return;
  OpBuilder builder(op);
  init->set(
      ToFormatOp::create(builder, op.getLoc(), result.getType(), init->get()));
}

void PropagateFormats::propagate(FormatOpInterface interface) {
  Operation *op = interface;
  SmallVector<FormatPort> ports = interface.getFormatPorts();
  FormatFact fact;
  llvm::SmallBitVector inPort(op->getNumOperands());
  for (const FormatPort &port : ports)
    for (unsigned index : port.operands) {
      inPort.set(index);
      auto type = cast<RankedTensorType>(op->getOperand(index).getType());
      // A constant or an empty tensor has no say: it takes any format for free.
      if (compileTime.isCompileTime(op->getOperand(index)))
        continue;
      fact = FormatFact::meet(fact, FormatFact::known(getFormat(type)));
    }
  if (fact.isUndecided())
    op->emitRemark("different blocked formats meet here; the result is "
                   "channels-last");
  for (const FormatPort &port : ports)
    for (unsigned index : port.results) {
      OpResult result = op->getResult(index);
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(
          withFormat(type, fact.resolve(&getContext(), type.getRank())));
      if (getFormat(cast<RankedTensorType>(result.getType())))
        ++numEncoded;
      if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
        matchInit(dps, result);
    }
  for (OpOperand &operand : op->getOpOperands())
    if (!inPort.test(operand.getOperandNumber()))
      requireRowMajor(operand);
}
