//===- Solution.cpp - costs of a labelling by definition --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/Solution.h"
#include "ValueRegions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace memfmt::assignment;

static auto asTuple(const Objective &objective) {
  return std::make_tuple(objective.cost, objective.conversions, objective.bytes,
                         objective.distance);
}

bool Objective::operator==(const Objective &other) const {
  return asTuple(*this) == asTuple(other);
}

bool Objective::operator<(const Objective &other) const {
  return asTuple(*this) < asTuple(other);
}

static Error invalid(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Ports and pairs
//===----------------------------------------------------------------------===//

static Error checkLabels(const Problem &problem, ArrayRef<unsigned> labels) {
  ArrayRef<Port> ports = problem.getPorts();
  if (labels.size() != ports.size())
    return invalid("there are " + Twine(labels.size()) +
                   " labels, expected one for each of " + Twine(ports.size()) +
                   " ports");
  for (auto [port, label] : zip(ports, labels)) {
    if (label >= problem.getNumLabels())
      return invalid("port `" + port.name + "` has label " + Twine(label) +
                     ", expected one below " + Twine(problem.getNumLabels()));
    if (port.costs[label] == kInfinity)
      return invalid("port `" + port.name + "` may not have label `" +
                     problem.getLabels()[label] + "`");
  }
  for (const Equality &equality : problem.getEqualities())
    if (labels[equality.first] != labels[equality.second])
      return invalid("ports `" + ports[equality.first].name + "` and `" +
                     ports[equality.second].name +
                     "` must have equal labels, found `" +
                     problem.getLabels()[labels[equality.first]] + "` and `" +
                     problem.getLabels()[labels[equality.second]] + "`");
  return Error::success();
}

/// The part of the objective that does not depend on conversions.
static Expected<Objective> evaluatePorts(const Problem &problem,
                                         ArrayRef<unsigned> labels) {
  if (Error error = checkLabels(problem, labels))
    return std::move(error);
  Objective sum;
  for (auto [port, label] : zip(problem.getPorts(), labels)) {
    sum.cost += port.costs[label];
    sum.distance += port.preferred != kNoLabel && port.preferred != label;
  }
  for (const PairCost &pair : problem.getPairs()) {
    unsigned first = labels[pair.first], second = labels[pair.second];
    int64_t cost = pair.costs[first * problem.getNumLabels() + second];
    if (cost == kInfinity)
      return invalid("ports `" + problem.getPorts()[pair.first].name +
                     "` and `" + problem.getPorts()[pair.second].name +
                     "` may not have labels `" + problem.getLabels()[first] +
                     "` and `" + problem.getLabels()[second] + "`");
    sum.cost += cost;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// What a set of conversions of one value costs, infinite if `cost` is.
struct CopyCost {
  int64_t cost = 0, conversions = 0, bytes = 0;
  /// Conversions that cost nothing count here, so that none is made in vain.
  int64_t all = 0;

  bool isInfinite() const { return cost == kInfinity; }
  bool operator<(const CopyCost &other) const {
    return std::tie(cost, conversions, bytes, all) <
           std::tie(other.cost, other.conversions, other.bytes, other.all);
  }
  CopyCost operator+(const CopyCost &other) const {
    if (isInfinite() || other.isInfinite())
      return CopyCost{kInfinity, 0, 0, 0};
    return CopyCost{cost + other.cost, conversions + other.conversions,
                    bytes + other.bytes, all + other.all};
  }
};

/// Finds the cheapest conversions of one value by dynamic programming over its
/// regions, from inside out; the state is the set of labels (a bit mask) of
/// which the enclosing regions have a copy.
class ValueCost {
public:
  ValueCost(const Problem &problem, unsigned valueId,
            ArrayRef<unsigned> labels);

  CopyCost getCost() const { return cost; }

  /// Appends the conversions, outer regions first.
  void appendConversions(std::vector<Conversion> &conversions) const;

private:
  /// The cheapest way to extend each set of labels to each larger one in one
  /// region: the cost and the label that is made last, with its source.
  struct Step {
    CopyCost cost;
    unsigned from = kNoLabel, to = kNoLabel;
  };
  using StepTable = std::vector<Step>;

  StepTable getSteps(int64_t weight) const;
  void solve(ArrayRef<unsigned> wanted);

  const Problem &problem;
  unsigned valueId;
  const Value &value;
  ArrayRef<unsigned> labels;
  unsigned numSets;
  SmallVector<unsigned, 4> regions;
  SmallDenseMap<unsigned, unsigned, 4> positions;
  /// choice[position * numSets + outer set]: the set in that region.
  std::vector<unsigned> choice;
  CopyCost cost;
};

} // namespace

ValueCost::ValueCost(const Problem &problem, unsigned valueId,
                     ArrayRef<unsigned> labels)
    : problem(problem), valueId(valueId), value(problem.getValues()[valueId]),
      labels(labels), numSets(1u << problem.getNumLabels()) {
  unsigned own = labels[value.producer];
  if (all_of(value.readers,
             [&](const Reader &reader) { return labels[reader.port] == own; }))
    return;
  regions = getValueRegions(problem, value);
  for (auto [position, region] : enumerate(regions))
    positions[region] = position;
  SmallVector<unsigned, 4> wanted(regions.size(), 0);
  for (const Reader &reader : value.readers)
    wanted[positions[reader.region]] |= 1u << labels[reader.port];
  solve(wanted);
}

ValueCost::StepTable ValueCost::getSteps(int64_t weight) const {
  unsigned numLabels = problem.getNumLabels();
  StepTable steps(numSets * numSets);
  for (unsigned outer = 1; outer < numSets; ++outer)
    for (unsigned inner = outer + 1; inner < numSets; ++inner) {
      if ((outer & inner) != outer)
        continue;
      Step &best = steps[outer * numSets + inner];
      best.cost.cost = kInfinity;
      for (unsigned to = 0; to < numLabels; ++to) {
        if (!((inner & ~outer) >> to & 1))
          continue;
        unsigned before = inner & ~(1u << to);
        for (unsigned from = 0; from < numLabels; ++from) {
          if (!(before >> from & 1))
            continue;
          int64_t unit = value.conversions[from * numLabels + to];
          CopyCost sum =
              steps[outer * numSets + before].cost +
              CopyCost{weighted(unit, weight), unit > 0, value.bytes, 1};
          if (sum < best.cost)
            best = Step{sum, from, to};
        }
      }
    }
  return steps;
}

void ValueCost::solve(ArrayRef<unsigned> wanted) {
  choice.assign(regions.size() * numSets, 0);
  // What the regions inside position p cost, given the set available in p.
  std::vector<CopyCost> inside(regions.size() * numSets);
  for (unsigned position = regions.size(); position-- > 0;) {
    const Region &region = problem.getRegions()[regions[position]];
    StepTable steps = getSteps(region.weight);
    bool outermost = position == 0;
    for (unsigned outer = 1; outer < numSets; ++outer) {
      CopyCost best{kInfinity, 0, 0, 0};
      // From the largest set down: on ties a copy is made further outside.
      for (unsigned set = numSets - 1; set >= outer; --set) {
        if ((set & outer) != outer || (wanted[position] & ~set) != 0)
          continue;
        CopyCost sum = steps[outer * numSets + set].cost +
                       inside[position * numSets + set];
        if (sum < best) {
          best = sum;
          choice[position * numSets + outer] = set;
        }
      }
      if (outermost) {
        if (outer == 1u << labels[value.producer])
          cost = best;
        continue;
      }
      CopyCost &sum = inside[positions[region.parent] * numSets + outer];
      sum = sum + best;
    }
  }
}

void ValueCost::appendConversions(std::vector<Conversion> &conversions) const {
  unsigned own = labels[value.producer];
  SmallVector<unsigned, 4> available(regions.size());
  DenseMap<std::pair<unsigned, unsigned>, unsigned> made; // Region and label.
  for (auto [position, region] : enumerate(regions)) {
    unsigned outer =
        position == 0
            ? 1u << own
            : available[positions.lookup(problem.getRegions()[region].parent)];
    unsigned set = choice[position * numSets + outer];
    available[position] = set;
    if (set == outer)
      continue;
    StepTable steps = getSteps(problem.getRegions()[region].weight);
    unsigned first = conversions.size();
    while (set != outer) {
      const Step &step = steps[outer * numSets + set];
      conversions.push_back(
          Conversion{valueId, step.from, step.to, region, {}});
      set &= ~(1u << step.to);
    }
    std::reverse(conversions.begin() + first, conversions.end());
    for (unsigned id = first; id < conversions.size(); ++id)
      made[{region, conversions[id].to}] = id;
  }
  for (auto [index, reader] : enumerate(value.readers)) {
    unsigned label = labels[reader.port];
    if (label == own)
      continue;
    unsigned region = reader.region;
    auto found = made.find({region, label});
    while (found == made.end()) {
      region = problem.getRegions()[region].parent;
      found = made.find({region, label});
    }
    conversions[found->second].readers.push_back(index);
  }
}

Expected<Objective>
memfmt::assignment::evaluate(const Problem &problem, ArrayRef<unsigned> labels,
                             std::vector<Conversion> *conversions) {
  Expected<Objective> sum = evaluatePorts(problem, labels);
  if (!sum)
    return sum;
  for (unsigned id = 0; id < problem.getValues().size(); ++id) {
    ValueCost valueCost(problem, id, labels);
    CopyCost cost = valueCost.getCost();
    if (cost.isInfinite()) {
      const Value &value = problem.getValues()[id];
      return invalid("value `" + value.name +
                     "` has a reader with a label to which `" +
                     problem.getLabels()[labels[value.producer]] +
                     "` cannot be converted");
    }
    sum->cost += cost.cost;
    sum->conversions += cost.conversions;
    sum->bytes += cost.bytes;
    if (conversions)
      valueCost.appendConversions(*conversions);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether `conversion` reads a label that its value has at that place, from
/// the producer or from one of `earlier`.
static bool hasSource(const Problem &problem, ArrayRef<unsigned> labels,
                      const Conversion &conversion,
                      ArrayRef<Conversion> earlier) {
  const Value &value = problem.getValues()[conversion.value];
  return conversion.from == labels[value.producer] ||
         any_of(earlier, [&](const Conversion &other) {
           return other.value == conversion.value &&
                  other.to == conversion.from &&
                  problem.isInside(conversion.region, other.region);
         });
}

static Error checkConversion(const Problem &problem, ArrayRef<unsigned> labels,
                             const Conversion &conversion,
                             ArrayRef<Conversion> earlier) {
  if (conversion.value >= problem.getValues().size() ||
      conversion.region >= problem.getRegions().size() ||
      std::max(conversion.from, conversion.to) >= problem.getNumLabels())
    return invalid("a conversion names a value, region or label that the "
                   "problem does not have");
  const Value &value = problem.getValues()[conversion.value];
  std::string owner = "a conversion of value `" + value.name + "`";
  if (!problem.isInside(conversion.region, value.region))
    return invalid(owner + " stands outside the region of the value");
  if (!hasSource(problem, labels, conversion, earlier))
    return invalid(owner + " reads label `" +
                   problem.getLabels()[conversion.from] +
                   "`, which the value does not have there");
  for (unsigned index : conversion.readers) {
    if (index >= value.readers.size())
      return invalid(owner + " names reader " + Twine(index) + " of " +
                     Twine(value.readers.size()));
    const Reader &reader = value.readers[index];
    if (labels[reader.port] != conversion.to ||
        !problem.isInside(reader.region, conversion.region))
      return invalid(owner + " does not give reader `" +
                     problem.getPorts()[reader.port].name + "` its label");
  }
  return Error::success();
}

/// Every reader has its label from the producer or from one conversion.
static Error checkReadersServed(const Problem &problem,
                                const Solution &solution) {
  ArrayRef<Value> values = problem.getValues();
  std::vector<SmallVector<unsigned, 2>> served(values.size());
  for (const Conversion &conversion : solution.conversions)
    append_range(served[conversion.value], conversion.readers);
  for (auto [value, readers] : zip(values, served))
    for (auto [index, reader] : enumerate(value.readers)) {
      bool own =
          solution.labels[reader.port] == solution.labels[value.producer];
      if (count(readers, index) != (own ? 0 : 1))
        return invalid("reader `" + problem.getPorts()[reader.port].name +
                       "` of value `" + value.name + "` is served by " +
                       Twine(count(readers, index)) +
                       " conversions, expected " + Twine(own ? 0 : 1));
    }
  return Error::success();
}

Error memfmt::assignment::verify(const Problem &problem,
                                 const Solution &solution) {
  Expected<Objective> sum = evaluatePorts(problem, solution.labels);
  if (!sum)
    return sum.takeError();
  Expected<Objective> best = evaluate(problem, solution.labels);
  if (!best)
    return best.takeError();
  ArrayRef<Conversion> conversions = solution.conversions;
  // Conversions of one value lie side by side; search no further back.
  size_t first = 0;
  for (auto [index, conversion] : enumerate(conversions)) {
    if (index > 0 && conversion.value != conversions[first].value)
      first = index;
    if (Error error = checkConversion(problem, solution.labels, conversion,
                                      conversions.slice(first, index - first)))
      return error;
    const Value &value = problem.getValues()[conversion.value];
    int64_t unit = value.conversions[conversion.from * problem.getNumLabels() +
                                     conversion.to];
    if (unit == kInfinity)
      return invalid("a conversion of value `" + value.name +
                     "` is not possible");
    sum->cost += unit * problem.getRegions()[conversion.region].weight;
    sum->conversions += unit > 0;
    sum->bytes += value.bytes;
  }
  if (Error error = checkReadersServed(problem, solution))
    return error;
  if (*sum != solution.objective)
    return invalid("the solution states cost " +
                   Twine(solution.objective.cost) + " with " +
                   Twine(solution.objective.conversions) +
                   " conversions, but costs " + Twine(sum->cost) + " with " +
                   Twine(sum->conversions));
  if (*best != *sum)
    return invalid("the conversions cost " + Twine(sum->cost) +
                   ", but the same labels need only " + Twine(best->cost));
  if (solution.lowerBound > solution.objective.cost)
    return invalid("the lower bound " + Twine(solution.lowerBound) +
                   " exceeds the cost " + Twine(solution.objective.cost));
  return Error::success();
}
