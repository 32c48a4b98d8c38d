//===- RandomProblem.cpp - random problems for tests ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memfmt::assignment;

namespace {

class Generator {
public:
  Generator(unsigned seed, const RandomOptions &options)
      : random(seed), options(options), k(options.numLabels) {}

  Problem generate();

private:
  /// Often zero, so that there are ties.
  int64_t cost() {
    return random.chance(40) ? 0 : options.costUnit * random.below(10);
  }
  void addRegions();
  void addPorts();
  void addValues();
  void addPairs();
  std::vector<int64_t> makeTable();

  Random random;
  RandomOptions options;
  unsigned k;
  Problem problem;
};

} // namespace

void Generator::addRegions() {
  if (random.chance(30))
    problem.setWeight(kRootRegion, random.below(10));
  for (unsigned id = 1, n = 1 + random.below(options.maxRegions); id < n; ++id)
    problem.addRegion("r" + std::to_string(id), random.below(id),
                      random.below(10));
}

void Generator::addPorts() {
  for (unsigned id = 0, n = 2 + random.below(options.maxPorts - 1); id < n;
       ++id) {
    std::string name = "p" + std::to_string(id);
    unsigned preferred = random.chance(30) ? random.below(k) : kNoLabel;
    unsigned port = problem.addFreePort(name, preferred);
    if (random.chance(30)) {
      problem.pin(port, random.below(k));
      continue;
    }
    for (unsigned label = 0; label < k; ++label)
      problem.addCost(port, label, cost());
    if (k > 2 && random.chance(20))
      problem.addCost(port, random.below(k), kInfinity);
  }
}

void Generator::addValues() {
  unsigned numPorts = problem.getPorts().size();
  unsigned numRegions = problem.getRegions().size();
  for (unsigned id = 0; id < numPorts; ++id) {
    if (random.chance(25))
      continue;
    std::vector<int64_t> table(k * k);
    bool uniform = random.chance(50);
    int64_t same = cost();
    for (unsigned entry = 0; entry < k * k; ++entry) {
      table[entry] = uniform ? same : cost();
      if (random.chance(2))
        table[entry] = kInfinity;
    }
    for (unsigned label = 0; label < k; ++label)
      table[label * (k + 1)] = 0;
    unsigned region = random.below(numRegions);
    unsigned value =
        problem.addValue("v" + std::to_string(id), random.below(numPorts),
                         table, options.bytesUnit * random.below(4), region);
    for (unsigned n = random.below(5); n > 0; --n) {
      unsigned inner = random.below(numRegions);
      if (problem.isInside(inner, region))
        problem.addReader(value, random.below(numPorts), inner);
    }
  }
}

std::vector<int64_t> Generator::makeTable() {
  std::vector<int64_t> table(k * k);
  for (int64_t &entry : table)
    entry = random.chance(12) ? kInfinity : cost();
  if (options.generalPairs || k != 2)
    return table;
  // Make it submodular by raising what costs for different labels.
  int64_t diagonal = 0;
  for (unsigned label : {0u, 3u}) {
    if (table[label] == kInfinity)
      table[label] = options.costUnit;
    diagonal += table[label];
  }
  if (table[1] != kInfinity)
    table[1] += diagonal;
  return table;
}

void Generator::addPairs() {
  unsigned numPorts = problem.getPorts().size();
  for (unsigned n = random.below(5); n > 0; --n) {
    unsigned first = random.below(numPorts), second = random.below(numPorts);
    if (first == second)
      continue;
    if (random.chance(25))
      problem.addEquality(first, second);
    else if (random.chance(25))
      problem.addMixed(first, second, cost());
    else
      problem.addPair(first, second, makeTable());
  }
}

Problem Generator::generate() {
  for (unsigned label = 0; label < k; ++label)
    problem.addLabel("L" + std::to_string(label));
  addRegions();
  addPorts();
  addValues();
  addPairs();
  return problem;
}

Problem memfmt::assignment::makeRandomProblem(unsigned seed,
                                              const RandomOptions &options) {
  return Generator(seed, options).generate();
}

/// 0 ... `size` - 1 in random order.
static std::vector<unsigned> makePermutation(unsigned size, Random &random) {
  std::vector<unsigned> order(size);
  for (unsigned index = 0; index < size; ++index)
    order[index] = index;
  for (unsigned index = size; index > 1; --index)
    std::swap(order[index - 1], order[random.below(index)]);
  return order;
}

Problem memfmt::assignment::shuffle(const Problem &problem, unsigned seed,
                                    bool rename,
                                    std::vector<unsigned> &portMap) {
  Random random(seed);
  Problem result;
  for (const std::string &label : problem.getLabels())
    result.addLabel(label);
  result.setWeight(kRootRegion, problem.getRegions()[kRootRegion].weight);
  // Outer regions stay first, so their order stays as it is.
  for (const Region &region : problem.getRegions().drop_front())
    result.addRegion(rename ? "x" + std::to_string(random.below(1u << 30))
                            : region.name,
                     region.parent, region.weight);
  auto getName = [&](const std::string &name, StringRef prefix,
                     unsigned number) {
    return rename ? prefix.str() + std::to_string(number) : name;
  };
  portMap.assign(problem.getPorts().size(), 0);
  std::vector<unsigned> numbers = makePermutation(portMap.size(), random);
  for (unsigned id : makePermutation(portMap.size(), random)) {
    const Port &port = problem.getPorts()[id];
    portMap[id] = result.addPort(getName(port.name, "q", numbers[id]),
                                 port.costs, port.preferred);
  }
  unsigned numValues = problem.getValues().size();
  numbers = makePermutation(numValues, random);
  for (unsigned id : makePermutation(numValues, random)) {
    const Value &value = problem.getValues()[id];
    unsigned copy = result.addValue(getName(value.name, "w", numbers[id]),
                                    portMap[value.producer], value.conversions,
                                    value.bytes, value.region);
    for (unsigned index : makePermutation(value.readers.size(), random))
      result.addReader(copy, portMap[value.readers[index].port],
                       value.readers[index].region);
  }
  for (unsigned id : makePermutation(problem.getPairs().size(), random)) {
    const PairCost &pair = problem.getPairs()[id];
    result.addPair(portMap[pair.first], portMap[pair.second], pair.costs);
  }
  for (const Equality &equality : reverse(problem.getEqualities()))
    result.addEquality(portMap[equality.second], portMap[equality.first]);
  return result;
}
