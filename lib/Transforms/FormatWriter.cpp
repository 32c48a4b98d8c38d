//===- FormatWriter.cpp - writes inferred formats into the IR ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FormatWriter.h"

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Operations that say the type of their result themselves.
static bool declaresResult(Operation *op) {
  if (auto declared = dyn_cast<DeclaredFormatOpInterface>(op))
    // A request under a policy with rules of its own is answered by the rule.
    return declared.getDeclaredFormat() && !isa<TorchLayoutOpInterface>(op);
  return matchPattern(op, m_Constant());
}

/// A short description of where a value is, for people.
static std::string describeOrigin(Value origin) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(origin))
    os << "argument " << argument.getArgNumber();
  else
    os << "`" << origin.getDefiningOp()->getName() << "`";
  os << " at " << origin.getLoc();
  return text;
}

void FormatWriter::setType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  if (std::optional<FormatAnswer> answer = analysis.getAnswer(value))
    value.setType(withFormat(type, answer->format));
  if (getFormat(cast<RankedTensorType>(value.getType())))
    ++numEncoded;
}

void FormatWriter::setResultTypes(Operation *op) {
  if (declaresResult(op))
    return;
  SmallVector<Attribute> notes;
  Builder builder(op->getContext());
  for (OpResult result : op->getResults()) {
    setType(result);
    std::optional<FormatAnswer> answer = analysis.getAnswer(result);
    bool known = answer && answer->origin;
    notes.push_back(
        builder.getStringAttr(known ? describeOrigin(answer->origin) : ""));
  }
  auto isEmpty = [](Attribute note) {
    return cast<StringAttr>(note).getValue().empty();
  };
  if (options.origins && !llvm::all_of(notes, isEmpty))
    op->setAttr("memfmt.origin", builder.getArrayAttr(notes));
}

/// Private functions take the formats of their callers and give those of their
/// returns; public ones keep what they declare.
void FormatWriter::setSignature(FunctionOpInterface function) {
  if (function.isExternal() || function.isPublic())
    return;
  for (BlockArgument argument : function.getArguments())
    setType(argument);
  SmallVector<Type> results(function.getResultTypes());
  for (auto [index, type] : llvm::enumerate(results)) {
    SmallVector<Value> returned;
    for (Block &block : function.getFunctionBody())
      if (block.mightHaveTerminator() &&
          block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        returned.push_back(block.getTerminator()->getOperand(index));
    if (returned.empty() || !isa<RankedTensorType>(type))
      continue;
    if (std::optional<FormatAnswer> answer = analysis.getAnswer(returned))
      type = withFormat(cast<RankedTensorType>(type), answer->format);
  }
  SmallVector<Type> arguments(function.getArgumentTypes());
  for (auto [type, argument] :
       llvm::zip_equal(arguments, function.getArguments()))
    type = argument.getType();
  function.setType(function.cloneTypeWith(arguments, results));
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// Converts what `operand` reads to `wanted`. Nothing is converted inside a
/// computation.
void FormatWriter::forward(Operation *at, OpOperand &operand, Type wanted) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type == wanted || !isa<RankedTensorType>(wanted))
    return;
  Operation *place = at;
  // Bodies of computations hold scalars; those of terminators their own kind.
  while (Operation *parent = place->getParentOp()) {
    if (!isa<FormatOpInterface>(parent) &&
        !parent->hasTrait<OpTrait::IsTerminator>())
      break;
    place = parent;
  }
  OpBuilder builder(place);
  operand.set(ToFormatOp::create(builder, at->getLoc(), wanted, operand.get()));
}

/// A tensor in another format than the block, region or function declares that
/// it goes to.
void FormatWriter::forwardAll(Operation *at, MutableOperandRange operands,
                              ValueRange targets) {
  for (auto [operand, target] : llvm::zip(operands, targets))
    forward(at, operand, target.getType());
}

/// Makes a tensor row-major for a reader that knows no other format.
void FormatWriter::requireRowMajor(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !getFormat(type))
    return;
  RankedTensorType wanted = withFormat(type, {});
  if (!areEquivalent(wanted, type)) {
    ++numLost;
    InFlightDiagnostic remark = operand.getOwner()->emitRemark("format ");
    remark << getFormat(type) << " of operand " << operand.getOperandNumber()
           << " is lost: `" << operand.getOwner()->getName() << "` takes "
           << wanted;
    if (auto answer = analysis.getAnswer(operand.get());
        answer && answer->origin)
      remark.attachNote(answer->origin.getLoc()) << "it comes from here";
  }
  forward(operand.getOwner(), operand, wanted);
}

/// Two formats at one operation: the result can have only one of them.
void FormatWriter::remarkMeeting(Operation *op) {
  auto interface = cast<FormatOpInterface>(op);
  CompileTimeAnalysis compileTime;
  for (const FormatPort &port : interface.getFormatPorts()) {
    if (port.operands.empty() || port.results.empty())
      continue;
    Value first;
    for (unsigned index : port.operands) {
      Value value = op->getOperand(index);
      if (compileTime.isCompileTime(value))
        continue;
      if (!first)
        first = value;
      auto a = cast<RankedTensorType>(first.getType());
      auto b = cast<RankedTensorType>(value.getType());
      if (areEquivalent(a, b))
        continue;
      auto result =
          cast<RankedTensorType>(op->getResult(port.results[0]).getType());
      InFlightDiagnostic remark = op->emitRemark("formats meet: ");
      remark << describeFormat(a) << " and " << describeFormat(b)
             << "; the result is " << describeFormat(result);
      for (Value each : {first, value})
        if (auto answer = analysis.getAnswer(each); answer && answer->origin)
          remark.attachNote(answer->origin.getLoc())
              << "one of them comes from here";
      break;
    }
  }
}

void FormatWriter::connectFormats(FormatOpInterface interface) {
  Operation *op = interface;
  remarkMeeting(op);
  // A destination has the type of its result.
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      forward(op, *dps.getTiedOpOperand(result), result.getType());
  if (options.readsStrides && isa<TorchLayoutOpInterface>(op))
    return;
  llvm::SmallBitVector inPort(op->getNumOperands());
  for (const FormatPort &port : interface.getFormatPorts())
    for (unsigned index : port.operands)
      inPort.set(index);
  auto dps = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!inPort.test(operand.getOperandNumber()) &&
        !(dps && dps.isDpsInit(&operand)))
      requireRowMajor(operand);
}

void FormatWriter::connectRegions(RegionBranchOpInterface op) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors) {
    OperandRange operands = op.getEntrySuccessorOperands(successor);
    for (auto [i, target] : llvm::enumerate(successor.getSuccessorInputs()))
      if (i < operands.size())
        forward(op, op->getOpOperand(operands.getBeginOperandIndex() + i),
                target.getType());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(
          block.mightHaveTerminator() ? block.getTerminator() : nullptr);
      if (!terminator)
        continue;
      SmallVector<Attribute> unknown(terminator->getNumOperands());
      SmallVector<RegionSuccessor> targets;
      terminator.getSuccessorRegions(unknown, targets);
      for (const RegionSuccessor &target : targets)
        forwardAll(terminator, terminator.getMutableSuccessorOperands(target),
                   target.getSuccessorInputs());
    }
}

/// Whether the result is in the memory of the operand, as their types say.
static bool isViewOf(ViewOpInterface op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (FormatAttrInterface format = getFormat(type);
      format && !format.getInnerBlocks().empty())
    return false;
  std::optional<StridedLayout> view = op.getViewLayout(getDeclaredLayout(type));
  if (!view)
    return false;
  std::optional<Attribute> format = getFormatOfMemory(result, *view);
  return format && areEquivalent(withFormat(result, *format), result);
}

/// Gives every operand of `op` the type that it must have.
void FormatWriter::connect(Operation *op) {
  if (isa<DeclaredFormatOpInterface>(op) ||
      isa<AssertFormatOp, FormatQueryOpInterface>(op))
    return;
  if (auto interface = dyn_cast<FormatOpInterface>(op))
    return connectFormats(interface);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    return connectRegions(regions);
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (auto [index, block] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(index);
      unsigned produced = operands.getProducedOperandCount();
      forwardAll(op, operands.getMutableForwardedOperands(),
                 block->getArguments().drop_front(produced));
    }
    return;
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee =
            dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable())) {
      for (auto [operand, type] :
           llvm::zip(call.getArgOperandsMutable(), callee.getArgumentTypes()))
        forward(op, operand, type);
      return;
    }
  if (op->hasTrait<OpTrait::ReturnLike>()) {
    if (auto function = dyn_cast<FunctionOpInterface>(op->getParentOp())) {
      for (OpOperand &operand : op->getOpOperands())
        forward(op, operand,
                function.getResultTypes()[operand.getOperandNumber()]);
      return;
    }
  }
  if (isa<RegionBranchTerminatorOpInterface>(op) &&
      isa<RegionBranchOpInterface>(op->getParentOp()))
    return; // With its parent.
  // A view reads what it is a view of; a copy reads row-major.
  if (isa<ViewOpInterface>(op) &&
      (options.readsStrides || isViewOf(cast<ViewOpInterface>(op))))
    return;
  if (options.readsStrides && isa<TorchLayoutOpInterface>(op))
    return;
  for (OpOperand &operand : op->getOpOperands())
    requireRowMajor(operand);
}

void FormatWriter::write(ModuleOp module) {
  SmallVector<Operation *> operations;
  module.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations) {
    setResultTypes(op);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      setSignature(function);
    if (isa<FormatOpInterface>(op))
      continue;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!isa<FunctionOpInterface>(op) || !block.isEntryBlock())
          for (BlockArgument argument : block.getArguments())
            setType(argument);
  }
  for (Operation *op : operations)
    connect(op);
}
