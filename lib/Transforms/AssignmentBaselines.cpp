//===- AssignmentBaselines.cpp - what other strategies cost -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "AssignmentBaselines.h"

#include "memfmt/Assignment/TwoFormatSolver.h"
#include "memfmt/IR/Format.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;
using assignment::kInfinity;
using assignment::Problem;

/// A sum in which infinity stays.
static int64_t add(int64_t a, int64_t b) {
  return llvm::SaturatingAdd<uint64_t>(a, b) > uint64_t(kInfinity) ? kInfinity
                                                                   : a + b;
}

/// Ports have the label if it is allowed, else the only one that is.
static std::vector<unsigned> getContiguousLabels(const Problem &problem) {
  std::vector<unsigned> labels;
  for (const assignment::Port &port : problem.getPorts())
    labels.push_back(port.costs[kContiguous] == kInfinity ? kChannelsLast
                                                          : kContiguous);
  return labels;
}

static std::optional<int64_t> getCostOf(const Problem &problem,
                                        ArrayRef<unsigned> labels) {
  llvm::Expected<assignment::Objective> objective =
      assignment::evaluate(problem, labels);
  if (objective)
    return objective->cost;
  llvm::consumeError(objective.takeError());
  return std::nullopt;
}

/// The cost of one operation in the given label of each of its ports.
static int64_t getOperationCost(AssignmentModel &model, Operation *op,
                                ArrayRef<unsigned> labels) {
  SmallVector<Attribute> formats;
  for (auto [port, label] : llvm::zip_equal(model.getPorts(op), labels))
    formats.push_back(port ? getLabelFormat(op->getContext(), label)
                           : Attribute());
  return model.getCost(op, OperationFormats::get(op, formats));
}

/// Conversions from and to row-major memory around one operation.
static int64_t getWrappingCost(AssignmentModel &model, Operation *op,
                               ArrayRef<unsigned> labels) {
  int64_t cost = 0;
  int64_t weight = model.getWeight(op->getParentRegion());
  auto convert = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t once = model.getConversionCost(
        value, withFormat(type, {}),
        withFormat(type, getChannelsLast(op->getContext())));
    cost = add(cost, once * weight);
  };
  for (auto [port, label] : llvm::zip_equal(model.getPorts(op), labels)) {
    if (!port || label == kContiguous)
      continue;
    for (unsigned operand : model.members[*port].operands) {
      Value value = lookThroughConversions(op->getOperand(operand));
      Operation *definition = value.getDefiningOp();
      if (!definition || !isMadeAnew(definition))
        convert(value);
    }
    for (unsigned result : model.members[*port].results)
      convert(op->getResult(result));
  }
  return cost;
}

/// Calls `visit` with every choice of labels for the ports of an operation.
static void forEachChoice(size_t numPorts,
                          llvm::function_ref<void(ArrayRef<unsigned>)> visit) {
  if (numPorts > 2) { // More are tied together.
    visit(SmallVector<unsigned>(numPorts, kContiguous));
    return visit(SmallVector<unsigned>(numPorts, kChannelsLast));
  }
  for (unsigned choice = 0; choice < (1u << numPorts); ++choice) {
    SmallVector<unsigned> labels;
    for (unsigned port = 0; port < numPorts; ++port)
      labels.push_back(choice >> port & 1);
    visit(labels);
  }
}

static SetVector<Operation *> getOperations(const AssignmentModel &model) {
  SetVector<Operation *> operations;
  for (const AssignmentModel::PortMembers &members : model.members)
    if (members.op)
      operations.insert(members.op);
  return operations;
}

static std::optional<int64_t> getWrappedCost(AssignmentModel &model) {
  // Everything contiguous, and what each operation gains by being wrapped.
  std::optional<int64_t> total =
      getCostOf(model.problem, getContiguousLabels(model.problem));
  if (!total)
    return std::nullopt;
  for (Operation *op : getOperations(model)) {
    size_t numPorts = model.getPorts(op).size();
    int64_t plain =
        getOperationCost(model, op, SmallVector<unsigned>(numPorts, 0u));
    // A compiler that wraps looks at the kernel, not at the conversions.
    int64_t bestKernel = plain, wrapped = plain;
    forEachChoice(numPorts, [&](ArrayRef<unsigned> labels) {
      int64_t kernel = getOperationCost(model, op, labels);
      if (kernel < bestKernel) {
        bestKernel = kernel;
        wrapped = add(kernel, getWrappingCost(model, op, labels));
      }
    });
    *total = add(*total - plain, wrapped);
  }
  return total;
}

/// Channels-last where an operation gains, then along the data in order.
static std::vector<unsigned> propagate(AssignmentModel &model) {
  const Problem &problem = model.problem;
  std::vector<unsigned> labels = getContiguousLabels(problem);
  DenseMap<Value, unsigned> labelOf;
  for (auto [id, value] : llvm::enumerate(problem.getValues()))
    labelOf[model.values[id]] = labels[value.producer];
  for (Operation *op : getOperations(model)) {
    ArrayRef<std::optional<unsigned>> ports = model.getPorts(op);
    int64_t plain =
        getOperationCost(model, op, SmallVector<unsigned>(ports.size(), 0u));
    int64_t changed =
        getOperationCost(model, op, SmallVector<unsigned>(ports.size(), 1u));
    bool follow = changed < plain;
    for (Value operand : op->getOperands()) {
      Value source = lookThroughConversions(operand);
      auto it = labelOf.find(source);
      if (it != labelOf.end() && it->second == kChannelsLast &&
          !model.isCompileTime(source))
        follow |= changed <= plain;
    }
    if (!follow)
      continue;
    for (std::optional<unsigned> port : ports) {
      if (!port || problem.getPorts()[*port].costs[kChannelsLast] == kInfinity)
        continue;
      labels[*port] = kChannelsLast;
      for (unsigned result : model.members[*port].results)
        labelOf[op->getResult(result)] = kChannelsLast;
    }
  }
  return labels;
}

SmallVector<std::pair<StringRef, int64_t>>
memfmt::getBaselines(AssignmentModel &model) {
  SmallVector<std::pair<StringRef, int64_t>> baselines;
  auto add = [&](StringRef name, std::optional<int64_t> cost) {
    if (cost)
      baselines.push_back({name, *cost});
  };
  add("contiguous",
      getCostOf(model.problem, getContiguousLabels(model.problem)));
  add("wrapped", getWrappedCost(model));
  add("propagation", getCostOf(model.problem, propagate(model)));
  return baselines;
}

/// The least cost with these ports at one label; none if there is no way.
static std::optional<int64_t> getPinnedCost(const Problem &problem,
                                            ArrayRef<unsigned> ports,
                                            unsigned label) {
  Problem pinned = problem;
  for (unsigned port : ports) {
    if (pinned.getPorts()[port].costs[label] == kInfinity)
      return std::nullopt;
    pinned.pin(port, label);
  }
  assignment::TwoFormatSolver solver(pinned);
  llvm::Expected<assignment::Solution> solution = solver.solve();
  if (solution)
    return solution->objective.cost;
  llvm::consumeError(solution.takeError());
  return std::nullopt;
}

DenseMap<unsigned, int64_t>
memfmt::getRemovalCosts(const AssignmentModel &model,
                        const assignment::Solution &solution) {
  constexpr size_t kMost = 16;
  DenseMap<unsigned, int64_t> costs;
  size_t numSolved = 0;
  for (auto [position, conversion] : llvm::enumerate(solution.conversions)) {
    const assignment::Value &value =
        model.problem.getValues()[conversion.value];
    if (!value.conversions[conversion.from * kNumFormats + conversion.to])
      continue;
    if (++numSolved > kMost)
      break;
    // Without it the producer makes the other format, or nobody asks for it.
    SmallVector<unsigned> readers;
    for (unsigned reader : conversion.readers)
      readers.push_back(value.readers[reader].port);
    for (std::optional<int64_t> cost :
         {getPinnedCost(model.problem, value.producer, conversion.to),
          getPinnedCost(model.problem, readers, conversion.from)})
      if (cost) {
        int64_t growth = *cost - solution.objective.cost;
        auto [it, isNew] = costs.try_emplace(position, growth);
        if (!isNew)
          it->second = std::min(it->second, growth);
      }
  }
  return costs;
}
