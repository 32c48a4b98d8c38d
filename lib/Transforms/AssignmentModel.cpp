//===- AssignmentModel.cpp - a module as an assignment problem --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "AssignmentModel.h"

#include "memfmt/IR/Format.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;
using assignment::kInfinity;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

Attribute memfmt::getLabelFormat(MLIRContext *context, unsigned label) {
  return label == kChannelsLast ? Attribute(getChannelsLast(context))
                                : Attribute();
}

std::optional<unsigned> memfmt::getLabel(RankedTensorType type) {
  FormatAttrInterface format = getFormat(type);
  if (!format)
    return kContiguous;
  if (format == getChannelsLast(type.getContext()))
    return kChannelsLast;
  return std::nullopt;
}

Value memfmt::lookThroughConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ToFormatOp>())
    value = conversion.getInput();
  return value;
}

bool memfmt::isAssignable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         getChannelsLast(type.getContext()).servesRank(tensor.getRank());
}

bool memfmt::isMadeAnew(Operation *op) {
  auto interface = dyn_cast<FormatOpInterface>(op);
  return interface && isMemoryEffectFree(op) &&
         interface.getFormatPorts().size() == 1 &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

/// A product that stays below infinity, so that the check of the problem can
/// name what is too large.
static int64_t multiply(int64_t cost, int64_t weight) {
  if (cost == kInfinity)
    return cost;
  int64_t product;
  if (llvm::MulOverflow(cost, weight, product))
    return kInfinity - 1;
  return product;
}

//===----------------------------------------------------------------------===//
// Costs and regions
//===----------------------------------------------------------------------===//

int64_t AssignmentModel::getWeight(Region *region) {
  if (auto it = weights.find(region); it != weights.end())
    return it->second;
  Operation *parent = region->getParentOp();
  int64_t weight = 1;
  if (parent && !isa<FunctionOpInterface>(parent) &&
      parent->getParentRegion()) {
    weight = getWeight(parent->getParentRegion());
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      if (std::optional<APInt> trips = loop.getStaticTripCount())
        weight = multiply(
            weight,
            std::max<int64_t>(trips->getLimitedValue(kInfinity - 1), 1));
  }
  return weights[region] = weight;
}

int64_t AssignmentModel::getCost(Operation *op,
                                 const OperationFormats &formats) {
  if (op->getNumResults() && isCompileTime(op->getResult(0)))
    return 0;
  std::optional<int64_t> cost = getOperationCost(op, formats, target);
  return cost ? multiply(*cost, getWeight(op->getParentRegion())) : kInfinity;
}

int64_t AssignmentModel::getConversionCost(Value value, RankedTensorType from,
                                           RankedTensorType to) {
  return isCompileTime(value) ? 0 : memfmt::getConversionCost(from, to, target);
}

unsigned AssignmentModel::getRegionId(Region *region) {
  Operation *parent = region->getParentOp();
  // Nothing is converted inside a computation.
  if (isa<FormatOpInterface>(parent))
    return getRegionId(parent->getParentRegion());
  if (isa<FunctionOpInterface>(parent) || !parent->getParentRegion())
    return assignment::kRootRegion;
  if (auto it = regionIds.find(region); it != regionIds.end())
    return it->second;
  unsigned outer = getRegionId(parent->getParentRegion());
  unsigned id = problem.addRegion("region." + std::to_string(regions.size()),
                                  outer, getWeight(region));
  regions.push_back(region);
  return regionIds[region] = id;
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

ArrayRef<std::optional<unsigned>>
AssignmentModel::getPorts(Operation *op) const {
  auto it = operationPorts.find(op);
  if (it == operationPorts.end())
    return {};
  return it->second;
}

/// A port for a tensor whose format is no label: whatever label is chosen, one
/// conversion to or from that format is added.
unsigned AssignmentModel::addForeignPort(const std::string &name, Value value,
                                         RankedTensorType foreign,
                                         bool isSource, int64_t weight) {
  unsigned port = problem.addFreePort(name);
  members.push_back({});
  for (unsigned label = 0; label < kNumFormats; ++label) {
    RankedTensorType type =
        withFormat(foreign, getLabelFormat(foreign.getContext(), label));
    int64_t cost = getConversionCost(value, isSource ? foreign : type,
                                     isSource ? type : foreign);
    problem.addCost(port, label, multiply(cost, weight));
  }
  return port;
}

void AssignmentModel::addPorts(FormatOpInterface op, const std::string &name) {
  auto &ports = operationPorts[op];
  for (const FormatPort &port : op.getFormatPorts()) {
    Type type = port.results.empty()
                    ? op->getOperand(port.operands.front()).getType()
                    : op->getResult(port.results.front()).getType();
    if (!isAssignable(type)) {
      ports.push_back(std::nullopt);
      continue;
    }
    // Among equals, what nobody asked to be reordered stays row-major.
    unsigned id = problem.addFreePort(name + ":" + std::to_string(ports.size()),
                                      kContiguous);
    members.push_back({op, SmallVector<unsigned, 4>(port.operands),
                       SmallVector<unsigned, 2>(port.results)});
    ports.push_back(id);
  }
  addCosts(op, ports);
}

/// The cost of every combination of formats of one operation: alone, as a pair,
/// or with all ports tied where there are more.
void AssignmentModel::addCosts(Operation *op,
                               ArrayRef<std::optional<unsigned>> ports) {
  SmallVector<unsigned> chosen;
  SmallVector<unsigned> positions;
  for (auto [position, port] : llvm::enumerate(ports))
    if (port) {
      chosen.push_back(*port);
      positions.push_back(position);
    }
  auto costOf = [&](ArrayRef<unsigned> labels) {
    SmallVector<Attribute> formats(ports.size());
    for (auto [position, label] : llvm::zip_equal(positions, labels))
      formats[position] = getLabelFormat(op->getContext(), label);
    return getCost(op, OperationFormats::get(op, formats));
  };
  if (chosen.size() == 2) {
    SmallVector<int64_t> table;
    for (unsigned first = 0; first < kNumFormats; ++first)
      for (unsigned second = 0; second < kNumFormats; ++second)
        table.push_back(costOf({first, second}));
    return problem.addPair(chosen[0], chosen[1], table);
  }
  if (chosen.empty())
    return problem.addCost(fixedPorts[kContiguous], kContiguous, costOf({}));
  for (unsigned label = 0; label < kNumFormats; ++label)
    problem.addCost(chosen[0], label,
                    costOf(SmallVector<unsigned>(chosen.size(), label)));
  for (unsigned port : ArrayRef<unsigned>(chosen).drop_front())
    problem.addEquality(chosen[0], port);
}

//===----------------------------------------------------------------------===//
// Values and their readers
//===----------------------------------------------------------------------===//

/// A value that no port produces has the format that its type declares.
void AssignmentModel::addOrigin(Value value, const std::string &name) {
  if (!isAssignable(value.getType()))
    return;
  auto type = cast<RankedTensorType>(value.getType());
  if (std::optional<unsigned> label = getLabel(type)) {
    origins[value] = {name, fixedPorts[*label]};
    return;
  }
  // Made on demand, see getValue: a value that is handed on as it is costs
  // nothing.
  origins[value] = {name, ~0u};
}

unsigned AssignmentModel::getValue(Value value) {
  if (auto it = valueIds.find(value); it != valueIds.end())
    return it->second;
  Origin &origin = origins.find(value)->second;
  auto type = cast<RankedTensorType>(value.getType());
  Region *region = value.getParentRegion();
  if (origin.port == ~0u)
    origin.port = addForeignPort(origin.name + ".declared", value, type,
                                 /*isSource=*/true, getWeight(region));
  SmallVector<int64_t> table;
  int64_t highest = 0;
  for (unsigned from = 0; from < kNumFormats; ++from)
    for (unsigned to = 0; to < kNumFormats; ++to) {
      MLIRContext *context = type.getContext();
      table.push_back(getConversionCost(
          value, withFormat(type, getLabelFormat(context, from)),
          withFormat(type, getLabelFormat(context, to))));
      highest = std::max(highest, table.back());
    }
  int64_t bytes =
      highest ? getPhysicalBytes(withFormat(type, {})).value_or(0) : 0;
  unsigned id = problem.addValue(origin.name, origin.port, table, bytes,
                                 getRegionId(region));
  values.push_back(value);
  return valueIds[value] = id;
}

/// The port of an operand that no port of its operation decides.
unsigned AssignmentModel::getDemand(OpOperand &operand, RankedTensorType type,
                                    Value source, unsigned number) {
  if (std::optional<unsigned> label = getLabel(type))
    return fixedPorts[*label];
  std::string name = std::to_string(number) + "." +
                     operand.getOwner()->getName().getStringRef().str() +
                     ".operand" + std::to_string(operand.getOperandNumber());
  return addForeignPort(name, source, type, /*isSource=*/false,
                        getWeight(operand.getOwner()->getParentRegion()));
}

void AssignmentModel::addRead(OpOperand &operand, std::optional<unsigned> port,
                              unsigned number) {
  Use use;
  use.operand = &operand;
  use.source = lookThroughConversions(operand.get());
  if (!port)
    use.demanded = cast<RankedTensorType>(operand.get().getType());
  // A pin moves nothing: what it insists on is made before it.
  if (auto pin = dyn_cast<PinOp>(operand.getOwner()))
    use.demanded = pin.getResult().getType();
  // Operations of the interface keep what is no port row-major.
  if (!port && isa<FormatOpInterface>(operand.getOwner()))
    use.demanded = withFormat(use.demanded, {});
  auto type = cast<RankedTensorType>(use.source.getType());
  // What a port produces gets a label, whatever format it had before.
  auto origin = origins.find(use.source);
  bool chosen = origin != origins.end() && origin->second.port != ~0u &&
                members[origin->second.port].op;
  bool sameForeign =
      !port && !chosen && use.demanded == type && !getLabel(type);
  Operation *definition = use.source.getDefiningOp();
  bool anew = definition && isMadeAnew(definition);
  if (!sameForeign && !anew) {
    use.port =
        port ? *port : getDemand(operand, use.demanded, use.source, number);
    unsigned value = getValue(use.source);
    use.reader = {value, problem.getValues()[value].readers.size()};
    problem.addReader(value, use.port,
                      getRegionId(operand.getOwner()->getParentRegion()));
  } else if (port) {
    use.port = *port;
  }
  uses.push_back(use);
}

void AssignmentModel::addReads(Operation *op, unsigned number) {
  SmallVector<std::optional<unsigned>> portOf(op->getNumOperands());
  if (auto interface = dyn_cast<FormatOpInterface>(op))
    for (auto [port, id] :
         llvm::zip_equal(interface.getFormatPorts(), getPorts(op)))
      for (unsigned operand : port.operands)
        portOf[operand] = id;
  for (OpOperand &operand : op->getOpOperands())
    if (isAssignable(operand.get().getType()))
      addRead(operand, portOf[operand.getOperandNumber()], number);
  // The body of a computation may read tensors from outside.
  if (isa<FormatOpInterface>(op))
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          if (isAssignable(operand.get().getType()) && !isa<ToFormatOp>(inner))
            addRead(operand, std::nullopt, number);
      });
}

void AssignmentModel::addOperation(Operation *op, unsigned number) {
  std::string name =
      std::to_string(number) + "." + op->getName().getStringRef().str();
  if (auto interface = dyn_cast<FormatOpInterface>(op))
    addPorts(interface, name);
  DenseMap<unsigned, unsigned> portOf;
  for (std::optional<unsigned> port : getPorts(op))
    if (port)
      for (unsigned result : members[*port].results)
        portOf[result] = *port;
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    std::string resultName = "%" + std::to_string(number);
    if (index)
      resultName += "." + std::to_string(index);
    if (auto it = portOf.find(index); it != portOf.end())
      origins[result] = {resultName, it->second};
    else
      addOrigin(result, resultName);
  }
  if (isa<FormatOpInterface>(op))
    return; // Regions of computations hold scalars.
  unsigned argumentNumber = 0;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      addOrigin(argument, "%" + std::to_string(number) + ".arg" +
                              std::to_string(argumentNumber++));
  for (Region &region : op->getRegions())
    for (Block &block : llvm::drop_begin(region, region.empty() ? 0 : 1))
      for (BlockArgument argument : block.getArguments())
        addOrigin(argument, "%" + std::to_string(number) + ".arg" +
                                std::to_string(argumentNumber++));
}

/// Conversions of tensors whose formats are not chosen stay as they are.
void AssignmentModel::addFixedConversions(ModuleOp module) {
  module.walk([&](ToFormatOp op) {
    if (isAssignable(op.getInput().getType()))
      return;
    int64_t cost = getConversionCost(op.getInput(), op.getInput().getType(),
                                     op.getResult().getType());
    problem.addCost(fixedPorts[kContiguous], kContiguous,
                    multiply(cost, getWeight(op->getParentRegion())));
  });
}

AssignmentModel::AssignmentModel(ModuleOp module,
                                 const kernels::TargetInfo &target)
    : problem({"contiguous", "channels_last"}), target(target) {
  for (unsigned label = 0; label < kNumFormats; ++label) {
    fixedPorts[label] = problem.addFixedPort(problem.getLabels()[label], label);
    members.push_back({});
  }
  // Operations get their number in the order of the text. Conversions and what
  // is made anew have none: assignment adds and removes them.
  SmallVector<std::pair<Operation *, unsigned>> operations;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || isa<ToFormatOp>(op))
      return WalkResult::advance();
    if (!isMadeAnew(op))
      operations.push_back({op, operations.size()});
    return isa<FormatOpInterface>(op) ? WalkResult::skip()
                                      : WalkResult::advance();
  });
  for (auto [op, number] : operations)
    addOperation(op, number);
  for (auto [op, number] : operations)
    addReads(op, number);
  addFixedConversions(module);
}
