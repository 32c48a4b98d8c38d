//===- Problem.cpp - building and checking a problem ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/Problem.h"
#include "ValueRegions.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

#include <tuple>

using namespace llvm;
using namespace memfmt::assignment;

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

bool Region::operator==(const Region &other) const {
  return std::tie(name, parent, weight) ==
         std::tie(other.name, other.parent, other.weight);
}

bool Port::operator==(const Port &other) const {
  return std::tie(name, costs, preferred) ==
         std::tie(other.name, other.costs, other.preferred);
}

bool PairCost::operator==(const PairCost &other) const {
  return std::tie(first, second, costs) ==
         std::tie(other.first, other.second, other.costs);
}

bool Equality::operator==(const Equality &other) const {
  return first == other.first && second == other.second;
}

bool Reader::operator==(const Reader &other) const {
  return port == other.port && region == other.region;
}

bool Value::operator==(const Value &other) const {
  return std::tie(name, producer, region, conversions, bytes, readers) ==
         std::tie(other.name, other.producer, other.region, other.conversions,
                  other.bytes, other.readers);
}

bool Problem::operator==(const Problem &other) const {
  return std::tie(labels, regions, ports, pairs, equalities, values) ==
         std::tie(other.labels, other.regions, other.ports, other.pairs,
                  other.equalities, other.values);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Problem::Problem(ArrayRef<StringRef> labelNames) {
  for (StringRef name : labelNames)
    addLabel(name);
}

unsigned Problem::addLabel(StringRef name) {
  labels.push_back(name.str());
  return labels.size() - 1;
}

unsigned Problem::addRegion(StringRef name, unsigned parent, int64_t weight) {
  regions.push_back(Region{name.str(), parent, weight});
  return regions.size() - 1;
}

void Problem::setWeight(unsigned region, int64_t weight) {
  regions[region].weight = weight;
}

unsigned Problem::addPort(StringRef name, ArrayRef<int64_t> costs,
                          unsigned preferred) {
  Port port;
  port.name = name.str();
  port.costs.assign(costs.begin(), costs.end());
  port.preferred = preferred;
  ports.push_back(std::move(port));
  return ports.size() - 1;
}

unsigned Problem::addFreePort(StringRef name, unsigned preferred) {
  return addPort(name, SmallVector<int64_t>(labels.size(), 0), preferred);
}

unsigned Problem::addFixedPort(StringRef name, unsigned label) {
  unsigned port = addFreePort(name);
  pin(port, label);
  return port;
}

void Problem::pin(unsigned port, unsigned label) {
  for (auto [other, cost] : enumerate(ports[port].costs))
    if (other != label)
      cost = kInfinity;
}

void Problem::addCost(unsigned port, unsigned label, int64_t cost) {
  int64_t &sum = ports[port].costs[label];
  // A finite sum that overflows stands as "forbidden" would; no real cost is
  // near, and `check` bounds the sums of those that are not.
  if (sum == kInfinity || cost == kInfinity || AddOverflow(sum, cost, sum))
    sum = kInfinity;
}

void Problem::setPreferred(unsigned port, unsigned label) {
  ports[port].preferred = label;
}

void Problem::addPair(unsigned first, unsigned second,
                      ArrayRef<int64_t> costs) {
  PairCost pair;
  pair.first = first;
  pair.second = second;
  pair.costs.assign(costs.begin(), costs.end());
  pairs.push_back(std::move(pair));
}

/// A table of `size` x `size` with `cost` off the diagonal and 0 on it.
static SmallVector<int64_t> getUniformTable(unsigned size, int64_t cost) {
  SmallVector<int64_t> table(size * size, cost);
  for (unsigned label = 0; label < size; ++label)
    table[label * size + label] = 0;
  return table;
}

void Problem::addMixed(unsigned first, unsigned second, int64_t cost) {
  addPair(first, second, getUniformTable(labels.size(), cost));
}

void Problem::addEquality(unsigned first, unsigned second) {
  equalities.push_back(Equality{first, second});
}

unsigned Problem::addValue(StringRef name, unsigned producer,
                           ArrayRef<int64_t> conversions, int64_t bytes,
                           unsigned region) {
  Value value;
  value.name = name.str();
  value.producer = producer;
  value.region = region;
  value.conversions.assign(conversions.begin(), conversions.end());
  value.bytes = bytes;
  values.push_back(std::move(value));
  return values.size() - 1;
}

unsigned Problem::addUniformValue(StringRef name, unsigned producer,
                                  int64_t conversion, int64_t bytes,
                                  unsigned region) {
  return addValue(name, producer, getUniformTable(labels.size(), conversion),
                  bytes, region);
}

void Problem::addReader(unsigned value, unsigned port, unsigned region) {
  values[value].readers.push_back(Reader{port, region});
}

bool Problem::isInside(unsigned inner, unsigned outer) const {
  // A region comes after its parent, so the walk ends.
  while (inner > outer)
    inner = regions[inner].parent;
  return inner == outer;
}

SmallVector<unsigned, 4>
memfmt::assignment::getValueRegions(const Problem &problem,
                                    const Value &value) {
  SmallVector<unsigned, 4> found;
  SmallDenseSet<unsigned, 4> seen;
  for (const Reader &reader : value.readers) {
    unsigned region = reader.region;
    while (seen.insert(region).second) {
      found.push_back(region);
      if (region == value.region)
        break;
      region = problem.getRegions()[region].parent;
    }
  }
  llvm::sort(found);
  return found;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static Error invalid(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

template <typename Range>
static Error checkNames(const Range &items, StringRef kind) {
  StringSet<> seen;
  for (const auto &item : items) {
    StringRef name;
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string>)
      name = item;
    else
      name = item.name;
    if (name.empty())
      return invalid("a " + kind + " has no name; give each a unique one");
    if (!seen.insert(name).second)
      return invalid("two " + kind + "s are named `" + name +
                     "`; names must be unique");
  }
  return Error::success();
}

static Error checkTable(ArrayRef<int64_t> costs, size_t size,
                        const Twine &owner) {
  if (costs.size() != size)
    return invalid(owner + " has " + Twine(costs.size()) + " costs, expected " +
                   Twine(size));
  for (int64_t cost : costs)
    if (cost < 0)
      return invalid(owner + " has the negative cost " + Twine(cost) +
                     "; add a constant to the whole table instead");
  return Error::success();
}

static Error checkId(unsigned id, size_t size, const Twine &owner,
                     StringRef kind) {
  if (id < size)
    return Error::success();
  return invalid(owner + " names " + kind + " " + Twine(id) + " of " +
                 Twine(size));
}

static Error checkRegions(const Problem &problem) {
  for (auto [id, region] : enumerate(problem.getRegions())) {
    if (region.weight < 0)
      return invalid("region `" + region.name + "` has the negative weight " +
                     Twine(region.weight));
    if (id != kRootRegion && region.parent >= id)
      return invalid("region `" + region.name +
                     "` is its own parent or comes before it; add outer "
                     "regions first");
  }
  return Error::success();
}

static Error checkPorts(const Problem &problem) {
  size_t numLabels = problem.getNumLabels();
  for (const Port &port : problem.getPorts()) {
    if (Error error =
            checkTable(port.costs, numLabels, "port `" + port.name + "`"))
      return error;
    if (all_of(port.costs, [](int64_t cost) { return cost == kInfinity; }))
      return invalid("port `" + port.name +
                     "` may have no label; allow at least one");
    if (port.preferred != kNoLabel)
      if (Error error = checkId(port.preferred, numLabels,
                                "port `" + port.name + "`", "label"))
        return error;
  }
  return Error::success();
}

static Error checkPairs(const Problem &problem) {
  ArrayRef<Port> ports = problem.getPorts();
  for (const PairCost &pair : problem.getPairs()) {
    for (unsigned port : {pair.first, pair.second})
      if (Error error = checkId(port, ports.size(), "a pair", "port"))
        return error;
    std::string owner = "the pair of `" + ports[pair.first].name + "` and `" +
                        ports[pair.second].name + "`";
    if (pair.first == pair.second)
      return invalid(owner + " is one port; add to the cost of the port");
    if (Error error = checkTable(
            pair.costs, problem.getNumLabels() * problem.getNumLabels(), owner))
      return error;
  }
  for (const Equality &equality : problem.getEqualities())
    for (unsigned port : {equality.first, equality.second})
      if (Error error = checkId(port, ports.size(), "an equality", "port"))
        return error;
  return Error::success();
}

static Error checkReaders(const Problem &problem, const Value &value) {
  ArrayRef<Region> regions = problem.getRegions();
  std::string owner = "a reader of value `" + value.name + "`";
  for (const Reader &reader : value.readers) {
    if (Error error =
            checkId(reader.port, problem.getPorts().size(), owner, "port"))
      return error;
    if (Error error = checkId(reader.region, regions.size(), owner, "region"))
      return error;
    if (!problem.isInside(reader.region, value.region))
      return invalid(owner + " stands in region `" +
                     regions[reader.region].name + "`, expected `" +
                     regions[value.region].name +
                     "` (where the value is defined) or one inside it");
  }
  return Error::success();
}

static Error checkValues(const Problem &problem) {
  size_t numLabels = problem.getNumLabels();
  for (const Value &value : problem.getValues()) {
    std::string owner = "value `" + value.name + "`";
    if (Error error =
            checkId(value.producer, problem.getPorts().size(), owner, "port"))
      return error;
    if (Error error =
            checkId(value.region, problem.getRegions().size(), owner, "region"))
      return error;
    if (Error error =
            checkTable(value.conversions, numLabels * numLabels, owner))
      return error;
    for (size_t label = 0; label < numLabels; ++label)
      if (value.conversions[label * (numLabels + 1)] != 0)
        return invalid(owner + " has a cost to convert `" +
                       problem.getLabels()[label] +
                       "` to itself, expected 0 on the diagonal");
    if (value.bytes < 0)
      return invalid(owner + " has " + Twine(value.bytes) + " bytes");
    if (Error error = checkReaders(problem, value))
      return error;
  }
  return Error::success();
}

static int64_t getLargestFinite(ArrayRef<int64_t> costs) {
  int64_t largest = 0;
  for (int64_t cost : costs)
    if (cost != kInfinity)
      largest = std::max(largest, cost);
  return largest;
}

/// Whether a sum of non-negative 64-bit products has stayed below 2^62.
static bool isSmall(Scale::Integer sum) {
  return sum < (Scale::Integer(1) << 62);
}

Scale::Scale(const Problem &problem) {
  unsigned numLabels = problem.getNumLabels();
  Integer places = 0, copied = 0;
  for (const Value &value : problem.getValues()) {
    Integer here = Integer(getValueRegions(problem, value).size()) * numLabels;
    places += here;
    copied += here * value.bytes;
    if (!isSmall(copied))
      return;
  }
  bytes = 1 + Integer(problem.getPorts().size());
  conversions = bytes * (1 + copied);
  if (conversions < (Integer(1) << 120) / (1 + places))
    cost = conversions * (1 + places);
}

/// Bounds all sums that evaluation and the solver form.
static Error checkMagnitudes(const Problem &problem) {
  Scale::Integer total = 1;
  auto add = [&](Scale::Integer cost) {
    total += cost;
    return isSmall(total);
  };
  bool small = true;
  for (const Port &port : problem.getPorts())
    small = small && add(getLargestFinite(port.costs));
  for (const PairCost &pair : problem.getPairs())
    small = small && add(Scale::Integer(8) * getLargestFinite(pair.costs));
  for (const Value &value : problem.getValues()) {
    Scale::Integer conversion = getLargestFinite(value.conversions);
    for (unsigned region : getValueRegions(problem, value)) {
      Scale::Integer cost = conversion * problem.getRegions()[region].weight;
      small = small && isSmall(cost) && add(cost * problem.getNumLabels());
    }
  }
  if (!small)
    return invalid("costs are too large: their weighted sum is not below 2^62; "
                   "express costs or weights in a coarser unit");
  Scale scale(problem);
  if (scale.cost == 0 || total >= (Scale::Integer(1) << 122) / scale.cost)
    return invalid("costs, bytes and counts are too large together: an "
                   "objective has more than 122 bits; express costs or bytes "
                   "in a coarser unit");
  return Error::success();
}

Error Problem::check() const {
  if (labels.empty())
    return invalid("there are no labels; give at least one");
  if (labels.size() > kMaxLabels)
    return invalid(Twine(labels.size()) + " labels are too many, expected " +
                   Twine(kMaxLabels) + " at most");
  if (Error error = checkNames(labels, "label"))
    return error;
  if (Error error = checkNames(regions, "region"))
    return error;
  if (Error error = checkNames(ports, "port"))
    return error;
  if (Error error = checkNames(values, "value"))
    return error;
  if (Error error = checkRegions(*this))
    return error;
  if (Error error = checkPorts(*this))
    return error;
  if (Error error = checkPairs(*this))
    return error;
  if (Error error = checkValues(*this))
    return error;
  return checkMagnitudes(*this);
}
