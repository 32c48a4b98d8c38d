//===- Checker.cpp - checks a certificate without a solver ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Capacities are built here from the text in Certificate.h, on purpose not with
// the code that builds the solver's network: a mistake in either shows.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/Checker.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <array>
#include <tuple>

using namespace llvm;
using namespace memfmt::assignment;

static Error reject(const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           "certificate does not hold: " + message);
}

namespace {

/// An amount, or infinity.
struct Amount {
  ScaledCost finite = 0;
  bool infinite = false;

  void operator+=(const Amount &other) {
    finite += other.finite;
    infinite |= other.infinite;
  }
};

/// Capacities by the nodes of an arc.
using Capacities = DenseMap<std::pair<unsigned, unsigned>, Amount>;

constexpr unsigned kSource = 0, kSink = 1, kFirstPort = 2;

class Checker {
public:
  Checker(const Problem &problem, const Certificate &certificate);

  Error check(ArrayRef<unsigned> labels);

private:
  // Once for all leaves.
  void computeRegions();
  void computeScale();
  void mergePairs();
  void addValueArcs(unsigned valueId);
  Error checkNodes();
  Error checkObjective(ArrayRef<unsigned> labels);
  Error checkCover() const;

  // For each leaf.
  Error readDecisions(const CertificateLeaf &leaf);
  Error addTerms();
  Error addPairTerms(unsigned pair);
  Error addFullTable(unsigned pair);
  Error checkConflict(const CertificateLeaf &leaf) const;
  Expected<ScaledCost> checkFlow(const CertificateLeaf &leaf) const;

  Amount scaled(int64_t cost) const {
    return cost == kInfinity ? Amount{0, true} : Amount{costScale * cost};
  }
  Amount getConversion(const Value &value, unsigned entry,
                       unsigned region) const;
  Amount getCapacity(unsigned from, unsigned to) const {
    Amount sum = fixed.lookup({from, to});
    sum += perLeaf.lookup({from, to});
    return sum;
  }
  unsigned addNode(const Twine &name) {
    unsigned id = nodeIds.size();
    nodeIds[name.str()] = id;
    return id;
  }

  const Problem &problem;
  const Certificate &certificate;
  std::vector<std::vector<unsigned>> valueRegions;
  ScaledCost bytesScale = 0, countScale = 0, costScale = 0;
  StringMap<unsigned> nodeIds;
  /// Ids, in the numbering here, of the certificate's nodes.
  std::vector<unsigned> nodes;
  /// Arcs of values and equalities, and those that depend on decisions.
  Capacities fixed, perLeaf;
  /// One table for each two ports, the port with the smaller name first.
  struct Table {
    unsigned p, q;
    std::array<Amount, 4> w;
  };
  std::vector<Table> tables;
  DenseMap<std::pair<unsigned, unsigned>, unsigned> tableIds;
  /// What the leaf states for tables that are to be lowered.
  DenseMap<unsigned, ScaledCost> lowered;
  StringMap<unsigned> portIds;
  /// Bit l: label l is left to the port by its own cost and the decisions.
  std::vector<unsigned> allowed;
  std::vector<std::array<Amount, 2>> terms;
  ScaledCost constant = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The fixed part
//===----------------------------------------------------------------------===//

Checker::Checker(const Problem &problem, const Certificate &certificate)
    : problem(problem), certificate(certificate) {
  computeRegions();
  computeScale();
  addNode("source");
  addNode("sink");
  for (auto [id, port] : enumerate(problem.getPorts())) {
    addNode("port " + quoteName(port.name));
    portIds[port.name] = id;
  }
  for (const Equality &equality : problem.getEqualities()) {
    unsigned p = kFirstPort + equality.first, q = kFirstPort + equality.second;
    fixed[{p, q}].infinite = true;
    fixed[{q, p}].infinite = true;
  }
  for (unsigned value = 0; value < problem.getValues().size(); ++value)
    addValueArcs(value);
  mergePairs();
}

void Checker::mergePairs() {
  for (const PairCost &pair : problem.getPairs()) {
    bool inOrder = problem.getPorts()[pair.first].name <
                   problem.getPorts()[pair.second].name;
    unsigned p = inOrder ? pair.first : pair.second;
    unsigned q = inOrder ? pair.second : pair.first;
    auto [entry, isNew] = tableIds.try_emplace({p, q}, tables.size());
    if (isNew)
      tables.push_back(Table{p, q, {}});
    std::array<Amount, 4> &w = tables[entry->second].w;
    w[0] += scaled(pair.costs[0]);
    w[1] += scaled(pair.costs[inOrder ? 1 : 2]);
    w[2] += scaled(pair.costs[inOrder ? 2 : 1]);
    w[3] += scaled(pair.costs[3]);
  }
}

void Checker::computeRegions() {
  ArrayRef<Region> regions = problem.getRegions();
  std::vector<unsigned> lastSeen(regions.size(), ~0u);
  for (auto [id, value] : enumerate(problem.getValues())) {
    std::vector<unsigned> &found = valueRegions.emplace_back();
    for (const Reader &reader : value.readers) {
      for (unsigned region = reader.region; lastSeen[region] != id;
           region = regions[region].parent) {
        lastSeen[region] = id;
        found.push_back(region);
        if (region == value.region)
          break;
      }
    }
  }
}

void Checker::computeScale() {
  ScaledCost places = 0, copied = 0;
  for (auto [value, regions] : zip(problem.getValues(), valueRegions)) {
    places += 2 * ScaledCost(regions.size());
    copied += 2 * ScaledCost(regions.size()) * value.bytes;
  }
  bytesScale = ScaledCost(problem.getPorts().size()) + 1;
  countScale = bytesScale * (copied + 1);
  costScale = countScale * (places + 1);
}

/// The capacity for entry 1 (from label 0 to 1) or 2 (from 1 to 0) of the
/// table.
Amount Checker::getConversion(const Value &value, unsigned entry,
                              unsigned region) const {
  int64_t unit = value.conversions[entry];
  Amount amount = scaled(unit);
  amount.finite *= problem.getRegions()[region].weight;
  amount.finite += bytesScale * value.bytes + (unit > 0 ? countScale : 0);
  return amount;
}

void Checker::addValueArcs(unsigned valueId) {
  const Value &value = problem.getValues()[valueId];
  unsigned producer = kFirstPort + value.producer;
  bool hasCopies = any_of(value.readers, [&](const Reader &reader) {
    return reader.region != value.region ||
           reader.port != value.readers.front().port;
  });
  if (!hasCopies) {
    if (value.readers.empty() || value.readers.front().port == value.producer)
      return;
    unsigned reader = kFirstPort + value.readers.front().port;
    fixed[{producer, reader}] += getConversion(value, 1, value.region);
    fixed[{reader, producer}] += getConversion(value, 2, value.region);
    return;
  }
  DenseMap<unsigned, unsigned> copy0, copy1;
  std::string prefix = "copy " + quoteName(value.name) + " ";
  for (unsigned region : valueRegions[valueId]) {
    std::string suffix = " " + quoteName(problem.getRegions()[region].name);
    copy0[region] =
        addNode(prefix + quoteName(problem.getLabels()[0]) + suffix);
    copy1[region] =
        addNode(prefix + quoteName(problem.getLabels()[1]) + suffix);
  }
  for (unsigned region : valueRegions[valueId]) {
    bool outermost = region == value.region;
    unsigned parent = problem.getRegions()[region].parent;
    unsigned outer0 = outermost ? producer : copy0.lookup(parent);
    unsigned outer1 = outermost ? producer : copy1.lookup(parent);
    fixed[{outer1, copy1[region]}] += getConversion(value, 1, region);
    fixed[{copy0[region], outer0}] += getConversion(value, 2, region);
  }
  for (const Reader &reader : value.readers) {
    unsigned port = kFirstPort + reader.port;
    fixed[{copy1[reader.region], port}].infinite = true;
    fixed[{port, copy0[reader.region]}].infinite = true;
  }
}

Error Checker::checkNodes() {
  std::vector<bool> used(nodeIds.size(), false);
  for (const std::string &name : certificate.nodes) {
    auto found = nodeIds.find(name);
    if (found == nodeIds.end())
      return reject("the problem has no node `" + name + "`");
    if (used[found->second])
      return reject("node `" + name + "` is listed twice");
    used[found->second] = true;
    nodes.push_back(found->second);
  }
  auto isListed = [&](unsigned id) { return id < nodes.size(); };
  for (const CertificateLeaf &leaf : certificate.leaves) {
    bool valid = all_of(leaf.conflict, isListed);
    for (const ArcFlow &arc : leaf.flow)
      valid &= isListed(arc.from) && isListed(arc.to);
    if (!valid)
      return reject("a leaf refers to a node past the list of " +
                    Twine(nodes.size()));
  }
  return Error::success();
}

Error Checker::checkObjective(ArrayRef<unsigned> labels) {
  Expected<Objective> objective = evaluate(problem, labels);
  if (!objective)
    return objective.takeError();
  if (objective->cost != certificate.objective)
    return reject("the labels cost " + Twine(objective->cost) +
                  ", the certificate states " + Twine(certificate.objective));
  if (problem.getNumLabels() == 1) {
    if (certificate.lowerBound > objective->cost)
      return reject("the lower bound exceeds the cost of the only labelling");
    return Error::success();
  }
  ScaledCost whole = costScale * objective->cost +
                     countScale * objective->conversions +
                     bytesScale * objective->bytes + objective->distance;
  if (whole != certificate.scaledObjective)
    return reject("with tie-breaks the labels cost " + toString(whole) +
                  ", the certificate states " +
                  toString(certificate.scaledObjective));
  return Error::success();
}

/// The leaves are those of a binary tree, each inner node of which gives one
/// port both labels.
Error Checker::checkCover() const {
  struct Group {
    std::vector<const CertificateLeaf *> leaves;
    size_t depth = 0;
  };
  std::vector<Group> groups(1);
  for (const CertificateLeaf &leaf : certificate.leaves)
    groups[0].leaves.push_back(&leaf);
  while (!groups.empty()) {
    Group group = std::move(groups.back());
    groups.pop_back();
    if (group.leaves.size() == 1 &&
        group.leaves.front()->decisions.size() == group.depth)
      continue;
    Group halves[2];
    const std::string *port = nullptr;
    for (const CertificateLeaf *leaf : group.leaves) {
      if (leaf->decisions.size() == group.depth)
        return reject("a case is distinguished further and not at once");
      const auto &[name, label] = leaf->decisions[group.depth];
      if (port && *port != name)
        return reject("cases differ in port `" + *port + "` and port `" + name +
                      "` at once");
      port = &name;
      halves[label == problem.getLabels()[1]].leaves.push_back(leaf);
    }
    for (Group &half : halves) {
      if (half.leaves.empty())
        return reject(
            "a case of " +
            (port ? "port `" + *port + "`" : std::string("the problem")) +
            " is missing");
      half.depth = group.depth + 1;
      groups.push_back(std::move(half));
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The part of a leaf
//===----------------------------------------------------------------------===//

Error Checker::readDecisions(const CertificateLeaf &leaf) {
  allowed.clear();
  for (const Port &port : problem.getPorts())
    allowed.push_back((port.costs[0] != kInfinity ? 1 : 0) |
                      (port.costs[1] != kInfinity ? 2 : 0));
  for (const auto &[name, label] : leaf.decisions) {
    auto port = portIds.find(name);
    if (port == portIds.end())
      return reject("the problem has no port `" + name + "`");
    if (label != problem.getLabels()[0] && label != problem.getLabels()[1])
      return reject("the problem has no label `" + label + "`");
    allowed[port->second] &= label == problem.getLabels()[0] ? 1 : 2;
  }
  lowered.clear();
  for (const LoweredPair &pair : leaf.lowered) {
    auto first = portIds.find(pair.first), second = portIds.find(pair.second);
    auto table = tableIds.end();
    if (first != portIds.end() && second != portIds.end())
      table = tableIds.find({first->second, second->second});
    if (table == tableIds.end())
      return reject("the problem has no pair of `" + pair.first + "` and `" +
                    pair.second + "`");
    if (!lowered.try_emplace(table->second, pair.cost).second)
      return reject("the pair of `" + pair.first + "` and `" + pair.second +
                    "` is lowered twice");
  }
  return Error::success();
}

Error Checker::addTerms() {
  perLeaf.clear();
  terms.clear();
  constant = 0;
  for (auto [port, mask] : zip(problem.getPorts(), allowed)) {
    std::array<Amount, 2> &term = terms.emplace_back();
    for (unsigned label = 0; label < 2; ++label) {
      if (!(mask >> label & 1)) {
        term[label].infinite = true;
        continue;
      }
      term[label] = scaled(port.costs[label]);
      if (port.preferred == 1 - label)
        term[label].finite += 1;
    }
  }
  for (unsigned pair = 0; pair < tables.size(); ++pair)
    if (Error error = addPairTerms(pair))
      return error;
  for (auto [id, term] : enumerate(terms)) {
    ScaledCost least = 0;
    if (!term[0].infinite && !term[1].infinite)
      least = std::min(term[0].finite, term[1].finite);
    else if (!term[0].infinite || !term[1].infinite)
      least = term[term[0].infinite ? 1 : 0].finite;
    constant += least;
    unsigned node = kFirstPort + id;
    perLeaf[{node, kSink}] += Amount{term[0].finite - least, term[0].infinite};
    perLeaf[{kSource, node}] +=
        Amount{term[1].finite - least, term[1].infinite};
  }
  return Error::success();
}

Error Checker::addPairTerms(unsigned pair) {
  const auto &[p, q, w] = tables[pair];
  // With one label left at one port, the table is a cost of the other port.
  auto fixFirst = [&, q = q, &w = w](unsigned row) {
    terms[q][0] += w[2 * row];
    terms[q][1] += w[2 * row + 1];
    return Error::success();
  };
  auto fixSecond = [&, p = p, &w = w](unsigned column) {
    terms[p][0] += w[column];
    terms[p][1] += w[2 + column];
    return Error::success();
  };
  if (allowed[p] != 3)
    return fixFirst(allowed[p] == 2);
  if (allowed[q] != 3)
    return fixSecond(allowed[q] == 2);
  for (unsigned row = 0; row < 2; ++row)
    if (w[2 * row].infinite && w[2 * row + 1].infinite) {
      terms[p][row].infinite = true;
      return fixFirst(1 - row);
    }
  for (unsigned column = 0; column < 2; ++column)
    if (w[column].infinite && w[2 + column].infinite) {
      terms[q][column].infinite = true;
      return fixSecond(1 - column);
    }
  return addFullTable(pair);
}

/// A table of two ports that both have both labels left.
Error Checker::addFullTable(unsigned pair) {
  auto [p, q, w] = tables[pair];
  auto [a, b, c, d] = w;
  bool same = a.infinite || d.infinite, different = b.infinite || c.infinite;
  if (same || (!different && a.finite + d.finite > b.finite + c.finite)) {
    auto stated = lowered.find(pair);
    if (stated == lowered.end())
      return reject("the pair of `" + problem.getPorts()[p].name + "` and `" +
                    problem.getPorts()[q].name +
                    "` is not submodular, and no lower cost is stated");
    ScaledCost sum = b.finite + c.finite, first = stated->second, second;
    if (__builtin_sub_overflow(sum, first, &second) ||
        first > (a.infinite ? sum : a.finite) ||
        second > (d.infinite ? sum : d.finite))
      return reject("the pair of `" + problem.getPorts()[p].name + "` and `" +
                    problem.getPorts()[q].name + "` may not be lowered to " +
                    toString(first));
    a = Amount{first};
    d = Amount{second};
  }
  std::pair<unsigned, unsigned> forward(kFirstPort + p, kFirstPort + q);
  std::pair<unsigned, unsigned> backward(forward.second, forward.first);
  if (b.infinite && c.infinite) {
    perLeaf[forward].infinite = perLeaf[backward].infinite = true;
    b = a;
    c = d;
  } else if (b.infinite) {
    perLeaf[forward].infinite = true;
    b = Amount{a.finite + d.finite - c.finite};
  } else if (c.infinite) {
    perLeaf[backward].infinite = true;
    c = Amount{a.finite + d.finite - b.finite};
  }
  constant += a.finite;
  terms[p][1].finite += c.finite - a.finite;
  terms[q][1].finite += d.finite - c.finite;
  perLeaf[forward].finite += b.finite + c.finite - a.finite - d.finite;
  return Error::success();
}

Error Checker::checkConflict(const CertificateLeaf &leaf) const {
  ArrayRef<unsigned> path = leaf.conflict;
  if (nodes[path.front()] != kSource || nodes[path.back()] != kSink)
    return reject("a conflict does not lead from the source to the sink");
  for (size_t step = 1; step < path.size(); ++step)
    if (!getCapacity(nodes[path[step - 1]], nodes[path[step]]).infinite)
      return reject("the arc from `" + certificate.nodes[path[step - 1]] +
                    "` to `" + certificate.nodes[path[step]] +
                    "` of a conflict is not infinite");
  return Error::success();
}

/// Checks capacities and conservation; the value of the flow.
Expected<ScaledCost> Checker::checkFlow(const CertificateLeaf &leaf) const {
  std::vector<ScaledCost> excess(nodeIds.size(), 0);
  const ArcFlow *last = nullptr;
  for (const ArcFlow &arc : leaf.flow) {
    std::string name = "the arc from `" + certificate.nodes[arc.from] +
                       "` to `" + certificate.nodes[arc.to] + "`";
    if (last && std::tie(last->from, last->to) >= std::tie(arc.from, arc.to))
      return reject(name + " is out of order or listed twice");
    last = &arc;
    unsigned from = nodes[arc.from], to = nodes[arc.to];
    Amount capacity = getCapacity(from, to);
    if (arc.flow < 0 || (!capacity.infinite && arc.flow > capacity.finite))
      return reject(name + " has flow " + toString(arc.flow) +
                    ", expected 0 to " +
                    (capacity.infinite ? "any" : toString(capacity.finite)));
    if (__builtin_sub_overflow(excess[from], arc.flow, &excess[from]) ||
        __builtin_add_overflow(excess[to], arc.flow, &excess[to]))
      return reject(name + " has a flow beyond 127 bits");
  }
  for (auto [own, node] : enumerate(nodes))
    if (node != kSource && node != kSink && excess[node] != 0)
      return reject("at `" + certificate.nodes[own] +
                    "` inflow exceeds outflow by " + toString(excess[node]));
  return excess[kSink];
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Error Checker::check(ArrayRef<unsigned> labels) {
  if (Error error = checkObjective(labels))
    return error;
  if (problem.getNumLabels() == 1)
    return Error::success();
  if (certificate.method == Method::Cut &&
      (certificate.leaves.size() != 1 ||
       !certificate.leaves.front().decisions.empty()))
    return reject("the method is `cut`, expected one leaf without decisions");
  if (Error error = checkNodes())
    return error;
  if (Error error = checkCover())
    return error;
  Amount bound{0, true};
  for (const CertificateLeaf &leaf : certificate.leaves) {
    if (Error error = readDecisions(leaf))
      return error;
    if (Error error = addTerms())
      return error;
    if (!leaf.conflict.empty()) {
      if (Error error = checkConflict(leaf))
        return error;
      continue;
    }
    Expected<ScaledCost> flow = checkFlow(leaf);
    if (!flow)
      return flow.takeError();
    ScaledCost leafBound;
    if (__builtin_add_overflow(*flow, constant, &leafBound))
      return reject("a flow is beyond 127 bits");
    bound =
        Amount{bound.infinite ? leafBound : std::min(bound.finite, leafBound)};
  }
  if (bound.infinite || bound.finite != certificate.scaledLowerBound)
    return reject("the flows prove the bound " + toString(bound.finite) +
                  ", the certificate states " +
                  toString(certificate.scaledLowerBound));
  if (certificate.method == Method::Cut &&
      bound.finite != certificate.scaledObjective)
    return reject("the flow proves the bound " + toString(bound.finite) +
                  ", the labels cost " + toString(certificate.scaledObjective));
  int64_t proved = bound.finite < 0 ? 0 : int64_t(bound.finite / costScale);
  if (certificate.lowerBound > proved)
    return reject("the flows prove the lower bound " + Twine(proved) +
                  ", the certificate states " + Twine(certificate.lowerBound));
  return Error::success();
}

Error memfmt::assignment::checkCertificate(const Problem &problem,
                                           ArrayRef<unsigned> labels,
                                           const Certificate &certificate) {
  if (Error error = problem.check())
    return error;
  if (problem.getNumLabels() > 2)
    return reject("certificates are for one or two labels, found " +
                  Twine(problem.getNumLabels()));
  return Checker(problem, certificate).check(labels);
}
