//===- MaxFlow.h - maximum flow and minimum cut -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_ASSIGNMENT_MAXFLOW_H
#define MEMFMT_LIB_ASSIGNMENT_MAXFLOW_H

#include "memfmt/Assignment/Certificate.h"

namespace memfmt::assignment {

/// A directed network with a source (node 0) and a sink (node 1), and a flow in
/// it that `maximize` makes largest (Dinic's algorithm).  More arcs may be
/// added afterwards; the next `maximize` goes on from the flow that is there.
class MaxFlow {
public:
  static constexpr unsigned kSource = 0, kSink = 1;
  /// Capacity of an arc that no minimum cut contains.  Far above every sum of
  /// finite capacities (2^125), with room for one more of them.
  static constexpr ScaledCost kUnbounded = ScaledCost(1) << 126;

  explicit MaxFlow(unsigned numNodes) : heads(numNodes, kNone) {}

  /// `capacity` must not be negative.  Arcs that no flow can use are
  /// dropped: those without capacity, and from a node to itself.
  void addArc(unsigned from, unsigned to, ScaledCost capacity);

  /// Nodes of a path of unbounded arcs from source to sink, or empty.  While
  /// there is one, the flow has no maximum.
  std::vector<unsigned> findUnboundedPath() const;

  /// Augments the flow to a maximum and returns its value.  There must be no
  /// unbounded path.
  ScaledCost maximize();

  /// The nodes that the source still reaches: the source side of the minimum
  /// cut whose source side is smallest.  It is the same for every maximum flow.
  std::vector<bool> getSourceSide() const;

  /// The arcs with a positive flow, sorted by nodes, parallel arcs in one.
  std::vector<ArcFlow> getFlow() const;

private:
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kUnreached = ~0u;

  bool computeLevels();
  ScaledCost augmentOnce();

  /// Edge 2i is arc i, edge 2i + 1 its reverse, whose residual is the flow.
  struct Edge {
    unsigned to, next;
    ScaledCost residual;
  };
  std::vector<Edge> edges;
  std::vector<unsigned> heads;
  std::vector<bool> unbounded; // By arc.
  ScaledCost value = 0;

  // State of one stage of `maximize`.
  std::vector<unsigned> levels, current, path;
};

} // namespace memfmt::assignment

#endif // MEMFMT_LIB_ASSIGNMENT_MAXFLOW_H
