//===- BruteForce.cpp - the answer by enumeration ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include <array>
#include <map>
#include <set>

using namespace llvm;
using namespace memfmt::assignment;

namespace {

/// Cost, conversions, bytes.
using Triple = std::array<int64_t, 3>;

/// A copy with a label that was made in a region.
struct Copy {
  unsigned region, label;
};

} // namespace

/// All copies that could ever help: any label in any region between the
/// definition and a reader.
static std::vector<Copy> getCopies(const Problem &problem, const Value &value) {
  std::vector<Copy> copies;
  for (unsigned region = 0; region < problem.getRegions().size(); ++region) {
    bool helps = false;
    for (const Reader &reader : value.readers)
      helps |= problem.isInside(reader.region, region);
    if (helps && problem.isInside(region, value.region))
      for (unsigned label = 0; label < problem.getNumLabels(); ++label)
        copies.push_back(Copy{region, label});
  }
  return copies;
}

/// Whether `label` is there in `region` when the copies in `set` are made.
static bool isAvailable(const Problem &problem, ArrayRef<Copy> copies,
                        unsigned set, unsigned own, unsigned label,
                        unsigned region) {
  if (label == own)
    return true;
  for (unsigned index = 0; index < copies.size(); ++index)
    if ((set >> index & 1) && copies[index].label == label &&
        problem.isInside(region, copies[index].region))
      return true;
  return false;
}

/// The shortest path, over sets of copies made so far, from no copy to a set
/// that serves all readers; one step makes one copy.
static std::optional<Triple> getValueCost(const Problem &problem,
                                          const Value &value, unsigned own,
                                          ArrayRef<unsigned> wanted) {
  std::vector<Copy> copies = getCopies(problem, value);
  std::map<unsigned, Triple> distances = {{0, Triple{0, 0, 0}}};
  std::set<std::pair<Triple, unsigned>> queue = {{Triple{0, 0, 0}, 0}};
  while (!queue.empty()) {
    auto [distance, set] = *queue.begin();
    queue.erase(queue.begin());
    bool served = true;
    for (unsigned index = 0; index < wanted.size(); ++index)
      served &= isAvailable(problem, copies, set, own, wanted[index],
                            value.readers[index].region);
    if (served)
      return distance;
    for (unsigned index = 0; index < copies.size(); ++index) {
      if (set >> index & 1)
        continue;
      for (unsigned from = 0; from < problem.getNumLabels(); ++from) {
        unsigned region = copies[index].region;
        int64_t unit = value.conversions[from * problem.getNumLabels() +
                                         copies[index].label];
        if (unit == kInfinity ||
            !isAvailable(problem, copies, set, own, from, region))
          continue;
        Triple next = {distance[0] + unit * problem.getRegions()[region].weight,
                       distance[1] + (unit > 0), distance[2] + value.bytes};
        unsigned larger = set | 1u << index;
        auto [entry, isNew] = distances.try_emplace(larger, next);
        if (!isNew && entry->second <= next)
          continue;
        queue.erase({entry->second, larger});
        entry->second = next;
        queue.insert({next, larger});
      }
    }
  }
  return std::nullopt;
}

namespace {

/// Evaluates labellings of one problem, remembering costs of values.
class Evaluator {
public:
  explicit Evaluator(const Problem &problem) : problem(problem) {}

  std::optional<Objective> evaluate(ArrayRef<unsigned> labels);

private:
  const Problem &problem;
  std::map<std::vector<unsigned>, std::optional<Triple>> known;
};

} // namespace

std::optional<Objective> Evaluator::evaluate(ArrayRef<unsigned> labels) {
  Objective sum;
  for (unsigned id = 0; id < labels.size(); ++id) {
    const Port &port = problem.getPorts()[id];
    if (port.costs[labels[id]] == kInfinity)
      return std::nullopt;
    sum.cost += port.costs[labels[id]];
    if (port.preferred != kNoLabel && port.preferred != labels[id])
      ++sum.distance;
  }
  for (const Equality &equality : problem.getEqualities())
    if (labels[equality.first] != labels[equality.second])
      return std::nullopt;
  for (const PairCost &pair : problem.getPairs()) {
    int64_t cost = pair.costs[labels[pair.first] * problem.getNumLabels() +
                              labels[pair.second]];
    if (cost == kInfinity)
      return std::nullopt;
    sum.cost += cost;
  }
  for (unsigned id = 0; id < problem.getValues().size(); ++id) {
    const Value &value = problem.getValues()[id];
    std::vector<unsigned> key = {id, labels[value.producer]};
    for (const Reader &reader : value.readers)
      key.push_back(labels[reader.port]);
    auto [entry, isNew] = known.try_emplace(key);
    if (isNew)
      entry->second =
          getValueCost(problem, value, key[1], ArrayRef(key).drop_front(2));
    if (!entry->second)
      return std::nullopt;
    sum.cost += (*entry->second)[0];
    sum.conversions += (*entry->second)[1];
    sum.bytes += (*entry->second)[2];
  }
  return sum;
}

std::optional<Objective>
memfmt::assignment::bruteForceObjective(const Problem &problem,
                                        ArrayRef<unsigned> labels) {
  return Evaluator(problem).evaluate(labels);
}

std::optional<Objective>
memfmt::assignment::bruteForce(const Problem &problem) {
  Evaluator evaluator(problem);
  std::optional<Objective> best;
  std::vector<unsigned> labels(problem.getPorts().size(), 0);
  while (true) {
    std::optional<Objective> objective = evaluator.evaluate(labels);
    if (objective && (!best || *objective < *best))
      best = objective;
    // Count up in base k.
    unsigned port = 0;
    while (port < labels.size() && ++labels[port] == problem.getNumLabels())
      labels[port++] = 0;
    if (port == labels.size())
      return best;
  }
}
