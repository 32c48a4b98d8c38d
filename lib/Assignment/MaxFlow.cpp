//===- MaxFlow.cpp - maximum flow and minimum cut ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MaxFlow.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace memfmt::assignment;

void MaxFlow::addArc(unsigned from, unsigned to, ScaledCost capacity) {
  if (from == to || capacity == 0)
    return;
  unbounded.push_back(capacity == kUnbounded);
  edges.push_back(Edge{to, heads[from], capacity});
  heads[from] = edges.size() - 1;
  edges.push_back(Edge{from, heads[to], 0});
  heads[to] = edges.size() - 1;
}

std::vector<unsigned> MaxFlow::findUnboundedPath() const {
  std::vector<unsigned> parents(heads.size(), kNone);
  std::vector<unsigned> queue = {kSource};
  parents[kSource] = kSource;
  for (size_t head = 0; head < queue.size() && parents[kSink] == kNone;
       ++head) {
    unsigned node = queue[head];
    for (unsigned edge = heads[node]; edge != kNone; edge = edges[edge].next) {
      unsigned to = edges[edge].to;
      if (edge % 2 != 0 || !unbounded[edge / 2] || parents[to] != kNone)
        continue;
      parents[to] = node;
      queue.push_back(to);
    }
  }
  std::vector<unsigned> found;
  if (parents[kSink] == kNone)
    return found;
  for (unsigned node = kSink; node != kSource; node = parents[node])
    found.push_back(node);
  found.push_back(kSource);
  std::reverse(found.begin(), found.end());
  return found;
}

/// Distances from the source over residual edges; false if the sink has none.
bool MaxFlow::computeLevels() {
  levels.assign(heads.size(), kUnreached);
  levels[kSource] = 0;
  std::vector<unsigned> queue = {kSource};
  for (size_t head = 0; head < queue.size(); ++head) {
    unsigned node = queue[head];
    // What is no nearer than the sink lies on no shortest path.
    if (levels[kSink] != kUnreached && levels[node] >= levels[kSink])
      break;
    for (unsigned edge = heads[node]; edge != kNone; edge = edges[edge].next) {
      unsigned to = edges[edge].to;
      if (edges[edge].residual == 0 || levels[to] != kUnreached)
        continue;
      levels[to] = levels[node] + 1;
      queue.push_back(to);
    }
  }
  return levels[kSink] != kUnreached;
}

/// Sends flow along one shortest path found by depth-first search; returns 0
/// when none is left.  `path` holds the edges from the source to where the
/// search stands, and survives up to the first saturated edge.
ScaledCost MaxFlow::augmentOnce() {
  while (true) {
    unsigned node = path.empty() ? kSource : edges[path.back()].to;
    if (node == kSink)
      break;
    unsigned &edge = current[node];
    while (edge != kNone && (edges[edge].residual == 0 ||
                             levels[edges[edge].to] != levels[node] + 1))
      edge = edges[edge].next;
    if (edge != kNone) {
      path.push_back(edge);
      continue;
    }
    // A dead end: leave it for the rest of the stage.
    if (path.empty())
      return 0;
    levels[node] = kUnreached;
    path.pop_back();
  }
  ScaledCost amount = edges[path.front()].residual;
  for (unsigned edge : path)
    amount = std::min(amount, edges[edge].residual);
  size_t keep = path.size();
  for (size_t index = path.size(); index-- > 0;) {
    Edge &edge = edges[path[index]];
    edge.residual -= amount;
    edges[path[index] ^ 1].residual += amount;
    if (edge.residual == 0)
      keep = index;
  }
  path.resize(keep);
  return amount;
}

ScaledCost MaxFlow::maximize() {
  while (computeLevels()) {
    current = heads;
    path.clear();
    while (ScaledCost amount = augmentOnce())
      value += amount;
  }
  return value;
}

std::vector<bool> MaxFlow::getSourceSide() const {
  std::vector<bool> reached(heads.size(), false);
  std::vector<unsigned> queue = {kSource};
  reached[kSource] = true;
  for (size_t head = 0; head < queue.size(); ++head)
    for (unsigned edge = heads[queue[head]]; edge != kNone;
         edge = edges[edge].next) {
      unsigned to = edges[edge].to;
      if (edges[edge].residual == 0 || reached[to])
        continue;
      reached[to] = true;
      queue.push_back(to);
    }
  return reached;
}

std::vector<ArcFlow> MaxFlow::getFlow() const {
  std::vector<ArcFlow> flows;
  for (size_t arc = 0; arc < unbounded.size(); ++arc)
    if (ScaledCost flow = edges[2 * arc + 1].residual)
      flows.push_back(ArcFlow{edges[2 * arc + 1].to, edges[2 * arc].to, flow});
  llvm::sort(flows, [](const ArcFlow &lhs, const ArcFlow &rhs) {
    return std::tie(lhs.from, lhs.to) < std::tie(rhs.from, rhs.to);
  });
  size_t kept = 0;
  for (const ArcFlow &flow : flows) {
    if (kept > 0 && flows[kept - 1].from == flow.from &&
        flows[kept - 1].to == flow.to)
      flows[kept - 1].flow += flow.flow;
    else
      flows[kept++] = flow;
  }
  flows.resize(kept);
  return flows;
}
