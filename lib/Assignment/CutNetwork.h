//===- CutNetwork.h - the network of a two-format problem -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_ASSIGNMENT_CUTNETWORK_H
#define MEMFMT_LIB_ASSIGNMENT_CUTNETWORK_H

#include "MaxFlow.h"
#include "ValueRegions.h"

#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace memfmt::assignment {

/// Stands for "not a port".
inline constexpr unsigned kNoPort = ~0u;

/// A port and the label it is given in one case of a branch.
using Decision = std::pair<unsigned, unsigned>;

/// The network of one case, and what it leaves out.
struct CaseNetwork {
  MaxFlow flow;
  /// What every labelling of the case costs beyond the flow.
  ScaledCost constant = 0;
  /// The merged pairs whose tables are not submodular in this case, and stand
  /// in the network with a smaller cost.
  std::vector<unsigned> loweredPairs;
};

/// Which costs a table (a, b, c, d) that is not submodular may be lowered to:
/// any a' from `least` to `most`, with d' = b + c - a'.
struct LoweringRange {
  ScaledCost least = 0, most = 0;
  /// The a' that gives neither a' nor d' up for the other.
  ScaledCost middle = 0;
};

/// Builds the networks that Certificate.h describes.  Nodes and arcs are in an
/// order that depends on names only, so that certificates do not depend on the
/// order in which a problem was built.
class CutNetwork {
public:
  /// Keeps a reference to `problem`, which must be checked and have two labels.
  explicit CutNetwork(const Problem &problem);

  /// The network of the case in which all of `decisions` hold, where `lowering`
  /// has the a' of each merged pair, used where the pair must be lowered.
  CaseNetwork build(llvm::ArrayRef<Decision> decisions,
                    llvm::ArrayRef<ScaledCost> lowering) const;

  /// The pairs of the problem, one for each two ports: tables of the same ports
  /// are added up, and the first port is the one whose name is smaller.
  llvm::ArrayRef<PairCost> getMergedPairs() const { return pairs; }

  /// The range for a merged pair, all zero if it is submodular.
  LoweringRange getLoweringRange(unsigned pair) const;

  /// How much a merged pair that is lowered to `lowering` costs more in truth,
  /// for these labels of its ports; `MaxFlow::kUnbounded` if it forbids them.
  ScaledCost getLoss(unsigned pair, ScaledCost lowering, unsigned first,
                     unsigned second) const;

  unsigned getPortNode(unsigned port) const { return portNodes[port]; }

  /// The port of a node, or `kNoPort`.
  unsigned getNodePort(unsigned node) const;

  /// Names for a certificate.
  std::vector<std::string> getNodeNames() const;

  /// An objective as one integer.
  ScaledCost getScaled(const Objective &objective) const;

  /// The largest cost in the unit of the problem that a scaled bound proves.
  int64_t getCostBound(ScaledCost bound) const;

private:
  struct Node {
    unsigned port = kNoPort;                   // A port, or
    unsigned value = 0, label = 0, region = 0; // a copy.
  };
  struct Arc {
    unsigned from, to;
    ScaledCost capacity;
  };

  void mergePairs();
  void addValue(unsigned valueId);
  void addCopies(unsigned valueId);
  ScaledCost getConversionCapacity(const Value &value, unsigned from,
                                   unsigned region) const;

  const Problem &problem;
  Scale scale;
  std::vector<Node> nodes;
  std::vector<unsigned> portNodes;
  std::vector<PairCost> pairs;
  std::vector<unsigned> portOrder;
  /// The arcs of values and equalities, which all cases share.
  std::vector<Arc> arcs;
};

} // namespace memfmt::assignment

#endif // MEMFMT_LIB_ASSIGNMENT_CUTNETWORK_H
