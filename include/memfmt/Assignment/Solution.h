//===- Solution.h - a label for every port, and what it costs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ASSIGNMENT_SOLUTION_H
#define MEMFMT_ASSIGNMENT_SOLUTION_H

#include "memfmt/Assignment/Problem.h"

namespace memfmt::assignment {

/// What a labelling costs.  Compared lexicographically: cost first, the rest
/// breaks ties.
struct Objective {
  /// Port, pair and weighted conversion costs, in the unit of the problem.
  int64_t cost = 0;
  /// Conversions that cost something (each place in the program counts once).
  int64_t conversions = 0;
  /// Bytes of all copies that conversions make.
  int64_t bytes = 0;
  /// Ports that do not have their preferred label.
  int64_t distance = 0;

  bool operator==(const Objective &other) const;
  bool operator!=(const Objective &other) const { return !(*this == other); }
  bool operator<(const Objective &other) const;
};

/// One conversion of a value, placed in a region.
struct Conversion {
  unsigned value = 0;
  unsigned from = 0, to = 0;
  /// Where it stands: the region of the value's definition or one inside it.
  unsigned region = kRootRegion;
  /// Which readers take its result, as positions in the value's reader list.
  /// Empty if only other conversions read it.
  llvm::SmallVector<unsigned, 2> readers;
};

/// How the lower bound of a solution was found.
enum class Method {
  Cut,    ///< One minimum cut.
  Branch, ///< A minimum cut for each case of a few ports.
};

/// A labelling with its cost and a bound no labelling can beat.
struct Solution {
  /// The label of each port.
  std::vector<unsigned> labels;
  Objective objective;
  /// No labelling costs less than this.
  int64_t lowerBound = 0;
  /// Ordered by value, then outer regions first; a conversion that reads the
  /// result of another comes after it.
  std::vector<Conversion> conversions;
  Method method = Method::Cut;
  /// The number of cases distinguished.
  unsigned numLeaves = 1;
  /// Where the budget of cases ended the search: the ports that remained to be
  /// distinguished.  Empty if the search was complete.
  std::vector<unsigned> undecidedPorts;

  bool isMinimal() const { return lowerBound == objective.cost; }
};

/// The cost of `labels` by the definition of the problem, with the cheapest
/// conversions; where several are cheapest, fewer and in outer regions.
/// Needs a checked problem.  Fails where a label is not allowed, tied ports
/// differ, or a value cannot be converted, naming the port or value.
llvm::Expected<Objective>
evaluate(const Problem &problem, llvm::ArrayRef<unsigned> labels,
         std::vector<Conversion> *conversions = nullptr);

/// Succeeds if `solution` is what it says: its labels are allowed, its
/// conversions give every reader the label of its port and no conversion reads
/// what is not there, and all of that costs `objective`, which is no less than
/// `lowerBound`.  Says nothing of whether the bound holds; see Checker.h.
llvm::Error verify(const Problem &problem, const Solution &solution);

} // namespace memfmt::assignment

#endif // MEMFMT_ASSIGNMENT_SOLUTION_H
