//===- CutNetwork.cpp - the network of a two-format problem -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CutNetwork.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

using namespace llvm;
using namespace memfmt::assignment;

/// Ids of `items` in the order of their names.
template <typename T>
static std::vector<unsigned> sortByName(ArrayRef<T> items) {
  std::vector<unsigned> order(items.size());
  for (unsigned id = 0; id < items.size(); ++id)
    order[id] = id;
  llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
    return items[lhs].name < items[rhs].name;
  });
  return order;
}

//===----------------------------------------------------------------------===//
// Values and equalities
//===----------------------------------------------------------------------===//

CutNetwork::CutNetwork(const Problem &problem)
    : problem(problem), scale(problem), nodes(2) {
  portOrder = sortByName(problem.getPorts());
  portNodes.resize(portOrder.size());
  for (unsigned port : portOrder) {
    portNodes[port] = nodes.size();
    nodes.push_back(Node{port, 0, 0, 0});
  }
  for (const Equality &equality : problem.getEqualities()) {
    unsigned first = portNodes[equality.first];
    unsigned second = portNodes[equality.second];
    arcs.push_back(Arc{first, second, MaxFlow::kUnbounded});
    arcs.push_back(Arc{second, first, MaxFlow::kUnbounded});
  }
  for (unsigned value : sortByName(problem.getValues()))
    addValue(value);
  llvm::sort(arcs, [](const Arc &lhs, const Arc &rhs) {
    return std::tie(lhs.from, lhs.to, lhs.capacity) <
           std::tie(rhs.from, rhs.to, rhs.capacity);
  });
  mergePairs();
}

void CutNetwork::mergePairs() {
  std::map<std::pair<unsigned, unsigned>, PairCost> merged;
  for (PairCost pair : problem.getPairs()) {
    if (portNodes[pair.first] > portNodes[pair.second]) {
      std::swap(pair.first, pair.second);
      std::swap(pair.costs[1], pair.costs[2]);
    }
    auto [entry, isNew] = merged.try_emplace(
        {portNodes[pair.first], portNodes[pair.second]}, pair);
    if (isNew)
      continue;
    for (auto [sum, cost] : zip(entry->second.costs, pair.costs))
      sum = sum == kInfinity || cost == kInfinity ? kInfinity : sum + cost;
  }
  for (auto &[nodes, pair] : merged)
    pairs.push_back(std::move(pair));
}

/// What a conversion of `value` from label `from` to the other one costs.
ScaledCost CutNetwork::getConversionCapacity(const Value &value, unsigned from,
                                             unsigned region) const {
  int64_t unit = value.conversions[from == 0 ? 1 : 2];
  if (unit == kInfinity)
    return MaxFlow::kUnbounded;
  return scale.cost * unit * problem.getRegions()[region].weight +
         (unit > 0 ? scale.conversions : 0) + scale.bytes * value.bytes;
}

void CutNetwork::addValue(unsigned valueId) {
  const Value &value = problem.getValues()[valueId];
  if (value.readers.empty())
    return;
  const Reader &first = value.readers.front();
  bool single = all_of(value.readers, [&](const Reader &reader) {
    return reader.port == first.port && reader.region == value.region;
  });
  if (!single)
    return addCopies(valueId);
  unsigned producer = portNodes[value.producer];
  unsigned reader = portNodes[first.port];
  arcs.push_back(
      Arc{producer, reader, getConversionCapacity(value, 0, value.region)});
  arcs.push_back(
      Arc{reader, producer, getConversionCapacity(value, 1, value.region)});
}

/// The nodes "there is a copy in label 1 (0) in region R".  A copy in label 1
/// exists where its node is on the side of the sink, one in label 0 where its
/// node is on the side of the source, so that either is paid on the way in from
/// the region outside and wanted by infinite arcs.
void CutNetwork::addCopies(unsigned valueId) {
  const Value &value = problem.getValues()[valueId];
  SmallVector<unsigned, 4> regions = getValueRegions(problem, value);
  llvm::sort(regions, [&](unsigned lhs, unsigned rhs) {
    return problem.getRegions()[lhs].name < problem.getRegions()[rhs].name;
  });
  DenseMap<unsigned, std::array<unsigned, 2>> copies;
  for (unsigned region : regions)
    for (unsigned label : {0u, 1u}) {
      copies[region][label] = nodes.size();
      nodes.push_back(Node{kNoPort, valueId, label, region});
    }
  unsigned producer = portNodes[value.producer];
  for (unsigned region : regions) {
    std::array<unsigned, 2> outside = {producer, producer};
    if (region != value.region)
      outside = copies[problem.getRegions()[region].parent];
    std::array<unsigned, 2> here = copies[region];
    arcs.push_back(
        Arc{outside[1], here[1], getConversionCapacity(value, 0, region)});
    arcs.push_back(
        Arc{here[0], outside[0], getConversionCapacity(value, 1, region)});
  }
  for (const Reader &reader : value.readers) {
    std::array<unsigned, 2> here = copies[reader.region];
    unsigned port = portNodes[reader.port];
    arcs.push_back(Arc{here[1], port, MaxFlow::kUnbounded});
    arcs.push_back(Arc{port, here[0], MaxFlow::kUnbounded});
  }
}

//===----------------------------------------------------------------------===//
// Ports and pairs
//===----------------------------------------------------------------------===//

namespace {

/// A cost that may be infinite.
using Term = std::optional<ScaledCost>;

/// Collects what labels cost at ports, and adds the arcs of pairs.
class Terms {
public:
  Terms(const Problem &problem, const Scale &scale,
        ArrayRef<unsigned> portNodes, ArrayRef<Decision> decisions,
        CaseNetwork &network);

  /// Returns whether the pair was lowered, by `lowering`.
  bool addPair(const PairCost &pair, ScaledCost lowering);

  /// Adds the arcs from and to the terminals, after all pairs.
  void finish(unsigned port);

private:
  void add(unsigned port, unsigned label, Term cost) {
    Term &sum = costs[port][label];
    sum = sum && cost ? Term(*sum + *cost) : std::nullopt;
  }
  bool addFullTable(const PairCost &pair, ScaledCost lowering);
  Term getTerm(int64_t cost) const {
    return cost == kInfinity ? std::nullopt : Term(scale.cost * cost);
  }

  const Scale &scale;
  ArrayRef<unsigned> portNodes;
  CaseNetwork &network;
  std::vector<std::array<Term, 2>> costs;
  /// The only label a port has left, or `kNoLabel`.
  std::vector<unsigned> single;
};

} // namespace

Terms::Terms(const Problem &problem, const Scale &scale,
             ArrayRef<unsigned> portNodes, ArrayRef<Decision> decisions,
             CaseNetwork &network)
    : scale(scale), portNodes(portNodes), network(network) {
  for (const Port &port : problem.getPorts()) {
    std::array<Term, 2> terms;
    for (unsigned label : {0u, 1u}) {
      terms[label] = getTerm(port.costs[label]);
      bool differs = port.preferred != kNoLabel && port.preferred != label;
      if (terms[label] && differs)
        *terms[label] += 1;
    }
    costs.push_back(terms);
  }
  for (auto [port, label] : decisions)
    costs[port][1 - label] = std::nullopt;
  for (const std::array<Term, 2> &terms : costs)
    single.push_back(!terms[0] ? 1 : !terms[1] ? 0 : kNoLabel);
}

bool Terms::addPair(const PairCost &pair, ScaledCost lowering) {
  unsigned p = pair.first, q = pair.second;
  ArrayRef<int64_t> costs = pair.costs;
  auto keepRow = [&](unsigned row) {
    add(q, 0, getTerm(costs[2 * row]));
    add(q, 1, getTerm(costs[2 * row + 1]));
    return false;
  };
  auto keepColumn = [&](unsigned column) {
    add(p, 0, getTerm(costs[column]));
    add(p, 1, getTerm(costs[2 + column]));
    return false;
  };
  if (single[p] != kNoLabel)
    return keepRow(single[p]);
  if (single[q] != kNoLabel)
    return keepColumn(single[q]);
  for (unsigned row : {0u, 1u})
    if (costs[2 * row] == kInfinity && costs[2 * row + 1] == kInfinity) {
      add(p, row, std::nullopt);
      return keepRow(1 - row);
    }
  for (unsigned column : {0u, 1u})
    if (costs[column] == kInfinity && costs[2 + column] == kInfinity) {
      add(q, column, std::nullopt);
      return keepColumn(1 - column);
    }
  return addFullTable(pair, lowering);
}

/// Whether a table without infinite rows and columns is not submodular.
static bool needsLowering(ArrayRef<int64_t> costs) {
  if (costs[0] == kInfinity || costs[3] == kInfinity)
    return true;
  return costs[1] != kInfinity && costs[2] != kInfinity &&
         costs[0] + costs[3] > costs[1] + costs[2];
}

/// A table in which at most b and c, or at most a and d, are infinite.
bool Terms::addFullTable(const PairCost &pair, ScaledCost lowering) {
  Term a = getTerm(pair.costs[0]), b = getTerm(pair.costs[1]),
       c = getTerm(pair.costs[2]), d = getTerm(pair.costs[3]);
  bool lowered = needsLowering(pair.costs);
  if (lowered) {
    a = lowering;
    d = *b + *c - lowering;
  }
  unsigned from = portNodes[pair.first], to = portNodes[pair.second];
  if (!b)
    network.flow.addArc(from, to, MaxFlow::kUnbounded);
  if (!c)
    network.flow.addArc(to, from, MaxFlow::kUnbounded);
  if (!b)
    b = c ? *a + *d - *c : *a;
  if (!c)
    c = *a + *d - *b;
  network.constant += *a;
  add(pair.first, 1, *c - *a);
  add(pair.second, 1, *d - *c);
  network.flow.addArc(from, to, *b + *c - *a - *d);
  return lowered;
}

void Terms::finish(unsigned port) {
  auto [cost0, cost1] = costs[port];
  unsigned node = portNodes[port];
  ScaledCost least = cost0 && cost1 ? std::min(*cost0, *cost1)
                                    : cost0.value_or(cost1.value_or(0));
  network.constant += least;
  if (!cost0 || *cost0 != least)
    network.flow.addArc(node, MaxFlow::kSink,
                        cost0 ? *cost0 - least : MaxFlow::kUnbounded);
  if (!cost1 || *cost1 != least)
    network.flow.addArc(MaxFlow::kSource, node,
                        cost1 ? *cost1 - least : MaxFlow::kUnbounded);
}

CaseNetwork CutNetwork::build(ArrayRef<Decision> decisions,
                              ArrayRef<ScaledCost> lowering) const {
  CaseNetwork network{MaxFlow(nodes.size()), 0, {}};
  for (const Arc &arc : arcs)
    network.flow.addArc(arc.from, arc.to, arc.capacity);
  Terms terms(problem, scale, portNodes, decisions, network);
  for (unsigned pair = 0; pair < pairs.size(); ++pair)
    if (terms.addPair(pairs[pair], lowering[pair]))
      network.loweredPairs.push_back(pair);
  for (unsigned port : portOrder)
    terms.finish(port);
  return network;
}

LoweringRange CutNetwork::getLoweringRange(unsigned pair) const {
  ArrayRef<int64_t> costs = pairs[pair].costs;
  // Infinite rows and columns never get as far as being lowered.
  if (costs[1] == kInfinity || costs[2] == kInfinity || !needsLowering(costs))
    return {};
  // Infinite costs are lowered as if they were b + c, so that no number in the
  // network is larger than those in the problem.
  int64_t sum = costs[1] + costs[2];
  int64_t a = costs[0] == kInfinity ? sum : costs[0];
  int64_t d = costs[3] == kInfinity ? sum : costs[3];
  int64_t middle = std::min(a, std::max(costs[1], costs[2]));
  middle = std::max(middle, sum - d);
  return {scale.cost * (sum - d), scale.cost * a, scale.cost * middle};
}

ScaledCost CutNetwork::getLoss(unsigned pair, ScaledCost lowering,
                               unsigned first, unsigned second) const {
  ArrayRef<int64_t> costs = pairs[pair].costs;
  if (first != second)
    return 0;
  int64_t cost = costs[3 * first];
  if (cost == kInfinity)
    return MaxFlow::kUnbounded;
  ScaledCost lowered =
      first == 0 ? lowering : scale.cost * (costs[1] + costs[2]) - lowering;
  return scale.cost * cost - lowered;
}

//===----------------------------------------------------------------------===//
// Names and numbers
//===----------------------------------------------------------------------===//

unsigned CutNetwork::getNodePort(unsigned node) const {
  return nodes[node].port;
}

std::vector<std::string> CutNetwork::getNodeNames() const {
  std::vector<std::string> names = {"source", "sink"};
  for (const Node &node : ArrayRef(nodes).drop_front(2)) {
    if (node.port != kNoPort)
      names.push_back("port " + quoteName(problem.getPorts()[node.port].name));
    else
      names.push_back("copy " +
                      quoteName(problem.getValues()[node.value].name) + " " +
                      quoteName(problem.getLabels()[node.label]) + " " +
                      quoteName(problem.getRegions()[node.region].name));
  }
  return names;
}

ScaledCost CutNetwork::getScaled(const Objective &objective) const {
  return scale.cost * objective.cost +
         scale.conversions * objective.conversions +
         scale.bytes * objective.bytes + objective.distance;
}

int64_t CutNetwork::getCostBound(ScaledCost bound) const {
  return bound < 0 ? 0 : int64_t(bound / scale.cost);
}
