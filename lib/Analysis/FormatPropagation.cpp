//===- FormatPropagation.cpp - formats as a dataflow analysis ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/FormatPropagation.h"

#include "LayoutSampling.h"
#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/Analysis/TorchStrides.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

namespace {
/// A fact of the `symmetric` policy with the value that it came from.
struct SymmetricState {
  FormatFact fact;
  Value origin;

  static SymmetricState join(const SymmetricState &a, const SymmetricState &b) {
    FormatFact fact = FormatFact::meet(a.fact, b.fact);
    return {fact, fact == a.fact ? a.origin : b.origin};
  }
  bool operator==(const SymmetricState &other) const {
    return fact == other.fact;
  }
  void print(raw_ostream &os) const { os << fact.hasInformation(); }
};

/// Strides under the `torch` policy. Where paths meet with different numbers
/// these become unknown: only running the program tells.
struct TorchState {
  bool reached = false;
  StridedLayout layout;
  Value origin;

  static TorchState join(const TorchState &a, const TorchState &b) {
    if (!a.reached)
      return b;
    if (!b.reached)
      return a;
    TorchState result = a;
    auto merge = [](int64_t &number, int64_t other) {
      if (number != other)
        number = ShapedType::kDynamic;
    };
    merge(result.layout.offset, b.layout.offset);
    for (auto [number, other] :
         llvm::zip(result.layout.strides, b.layout.strides))
      merge(number, other);
    return result;
  }
  bool operator==(const TorchState &other) const {
    return reached == other.reached && layout == other.layout;
  }
  void print(raw_ostream &os) const {
    llvm::interleaveComma(layout.strides, os);
  }
};

using SymmetricLattice = dataflow::Lattice<SymmetricState>;
using TorchLattice = dataflow::Lattice<TorchState>;

/// Dead code analysis asks for constants. Formats hold on all paths, so none is
/// known: no branch is dead, and no operation on weights is folded.
struct NoConstants : dataflow::SparseForwardDataFlowAnalysis<
                         dataflow::Lattice<dataflow::ConstantValue>> {
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;
  using State = dataflow::Lattice<dataflow::ConstantValue>;

  LogicalResult visitOperation(Operation *, ArrayRef<const State *>,
                               ArrayRef<State *> results) override {
    setAllToEntryStates(results);
    return success();
  }
  void setToEntryState(State *state) override {
    propagateIfChanged(
        state, state->join(dataflow::ConstantValue::getUnknownConstant()));
  }
};
} // namespace

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// A value that says its format itself is its own origin.
static Value originIfEncoded(Value value) {
  RankedTensorType type = getTensorType(value);
  return type && getFormat(type) ? value : Value();
}

//===----------------------------------------------------------------------===//
// The symmetric policy
//===----------------------------------------------------------------------===//

namespace {
class SymmetricAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<SymmetricLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const SymmetricLattice *> operands,
                               ArrayRef<SymmetricLattice *> results) override;
  void setToEntryState(SymmetricLattice *state) override {
    Value value = state->getAnchor();
    if (RankedTensorType type = getTensorType(value))
      set(state, {FormatFact::known(getFormat(type)), originIfEncoded(value)});
  }

private:
  void set(SymmetricLattice *state, const SymmetricState &fact) {
    propagateIfChanged(state, state->join(fact));
  }
  void visitPorts(FormatOpInterface op,
                  ArrayRef<const SymmetricLattice *> operands,
                  ArrayRef<SymmetricLattice *> results);
  SymmetricState getViewState(ViewOpInterface op, const SymmetricState &source);

  CompileTimeAnalysis compileTime;
};
} // namespace

LogicalResult
SymmetricAnalysis::visitOperation(Operation *op,
                                  ArrayRef<const SymmetricLattice *> operands,
                                  ArrayRef<SymmetricLattice *> results) {
  if (auto declared = dyn_cast<DeclaredFormatOpInterface>(op)) {
    std::optional<Attribute> format = declared.getDeclaredFormat();
    set(results[0],
        format ? SymmetricState{FormatFact::known(*format), op->getResult(0)}
               : operands[0]->getValue());
    return success();
  }
  if (auto ports = dyn_cast<FormatOpInterface>(op)) {
    visitPorts(ports, operands, results);
    return success();
  }
  if (auto view = dyn_cast<ViewOpInterface>(op)) {
    set(results[0], getViewState(view, operands[0]->getValue()));
    return success();
  }
  // A constant keeps its type; of other operations nothing is known, so that
  // their results are row-major.
  for (SymmetricLattice *result : results) {
    RankedTensorType type = getTensorType(result->getAnchor());
    if (!type)
      continue;
    bool constant = matchPattern(op, m_Constant());
    set(result, {FormatFact::known(constant ? getFormat(type) : nullptr),
                 constant ? originIfEncoded(result->getAnchor()) : Value()});
  }
  return success();
}

/// Operands of the ports meet; a constant or an empty tensor has no say, since
/// it takes any format for free.
void SymmetricAnalysis::visitPorts(FormatOpInterface interface,
                                   ArrayRef<const SymmetricLattice *> operands,
                                   ArrayRef<SymmetricLattice *> results) {
  Operation *op = interface;
  SymmetricState met;
  llvm::SmallBitVector inPort(op->getNumResults());
  for (const FormatPort &port : interface.getFormatPorts()) {
    for (unsigned index : port.operands)
      if (!compileTime.isCompileTime(op->getOperand(index)))
        met = SymmetricState::join(met, operands[index]->getValue());
    for (unsigned index : port.results)
      inPort.set(index);
  }
  if (!met.fact.hasInformation())
    met.fact = FormatFact::known({});
  for (auto [index, result] : llvm::enumerate(results))
    if (getTensorType(op->getResult(index)))
      set(result, inPort.test(index)
                      ? met
                      : SymmetricState{FormatFact::known({}), Value()});
}

/// A view keeps the memory: its result has the format that names the strides,
/// if one does; otherwise it is a copy in row-major order.
SymmetricState SymmetricAnalysis::getViewState(ViewOpInterface op,
                                               const SymmetricState &source) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SymmetricState rowMajor = {FormatFact::known({}), Value()};
  auto format = dyn_cast_or_null<FormatAttrInterface>(
      source.fact.resolve(op->getContext(), type.getRank()));
  if (format && !format.getInnerBlocks().empty())
    return rowMajor;
  StridedLayout layout = getDeclaredLayout(withFormat(type, format));
  std::optional<StridedLayout> view = op.getViewLayout(layout);
  if (!view)
    return rowMajor;
  std::optional<Attribute> named = getFormatOfMemory(result, *view);
  if (!named || !*named)
    return rowMajor;
  return {FormatFact::known(*named), source.origin};
}

//===----------------------------------------------------------------------===//
// The torch policy
//===----------------------------------------------------------------------===//

namespace {
class TorchAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<TorchLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const TorchLattice *> operands,
                               ArrayRef<TorchLattice *> results) override;
  void setToEntryState(TorchLattice *state) override {
    Value value = state->getAnchor();
    if (RankedTensorType type = getTensorType(value))
      set(state, {true, getDeclaredLayout(type), originIfEncoded(value)});
  }

private:
  void set(TorchLattice *state, const TorchState &fact) {
    propagateIfChanged(state, state->join(fact));
  }
};
} // namespace

LogicalResult
TorchAnalysis::visitOperation(Operation *op,
                              ArrayRef<const TorchLattice *> operands,
                              ArrayRef<TorchLattice *> results) {
  SmallVector<StridedLayout> inputs, outputs;
  Value origin;
  for (auto [value, state] : llvm::zip_equal(op->getOperands(), operands)) {
    bool tensor = getTensorType(value) != nullptr;
    if (tensor && !state->getValue().reached)
      return success(); // Comes again when it is.
    inputs.push_back(tensor ? state->getValue().layout : StridedLayout());
    if (!origin)
      origin = state->getValue().origin;
  }
  for (Value result : op->getResults()) {
    RankedTensorType type = getTensorType(result);
    outputs.push_back(type ? getDeclaredLayout(type) : StridedLayout());
  }
  bool rule = isa<ViewOpInterface, TorchLayoutOpInterface>(op);
  if (rule && failed(sampleRule(op, inputs, outputs)))
    return failure();
  bool declares = rule || isa<DeclaredFormatOpInterface>(op) ||
                  matchPattern(op, m_Constant());
  for (auto [index, state] : llvm::enumerate(results)) {
    RankedTensorType type = getTensorType(state->getAnchor());
    if (!type)
      continue;
    if (rule)
      set(state, {true, outputs[index], origin});
    else
      set(state,
          {true, getDeclaredLayout(declares ? type : withFormat(type, {})),
           declares ? originIfEncoded(state->getAnchor()) : Value()});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// FormatPropagation
//===----------------------------------------------------------------------===//

FormatPropagation::FormatPropagation(PropagationPolicy policy)
    : policy(policy), solver(std::make_unique<DataFlowSolver>(
                          DataFlowConfig().setInterprocedural(true))) {
  solver->load<dataflow::DeadCodeAnalysis>();
  solver->load<NoConstants>();
  if (policy == PropagationPolicy::Symmetric)
    solver->load<SymmetricAnalysis>();
  else
    solver->load<TorchAnalysis>();
}

FormatPropagation::~FormatPropagation() = default;

LogicalResult FormatPropagation::run(ModuleOp module) {
  return solver->initializeAndRun(module);
}

std::optional<FormatAnswer> FormatPropagation::getAnswer(Value value) const {
  return getAnswer(ArrayRef<Value>(value));
}

std::optional<FormatAnswer>
FormatPropagation::getAnswer(ArrayRef<Value> values) const {
  RankedTensorType type = getTensorType(values.front());
  if (!type ||
      (type.getEncoding() && !isa<FormatAttrInterface>(type.getEncoding())))
    return std::nullopt;
  if (policy == PropagationPolicy::Symmetric) {
    SymmetricState met;
    for (Value value : values)
      if (auto *state = solver->lookupState<SymmetricLattice>(value))
        met = SymmetricState::join(met, state->getValue());
    if (!met.fact.hasInformation())
      return std::nullopt;
    // What a strided view promises is in its type alone.
    Attribute format = met.fact.resolve(type.getContext(), type.getRank());
    return FormatAnswer{format, met.origin};
  }
  TorchState met;
  for (Value value : values)
    if (auto *state = solver->lookupState<TorchLattice>(value))
      met = TorchState::join(met, state->getValue());
  if (!met.reached)
    return std::nullopt;
  return FormatAnswer{getFormatOfLayout(type, met.layout), met.origin};
}
