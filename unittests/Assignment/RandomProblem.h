//===- RandomProblem.h - random problems for tests --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_ASSIGNMENT_RANDOMPROBLEM_H
#define MEMFMT_UNITTESTS_ASSIGNMENT_RANDOMPROBLEM_H

#include "memfmt/Assignment/Problem.h"

#include <random>

namespace memfmt::assignment {

/// The same numbers on every platform.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  /// A number from 0 to `bound` - 1.
  unsigned below(unsigned bound) { return engine() % bound; }
  /// Whether something with a chance of `percent` happens.
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  std::mt19937 engine;
};

struct RandomOptions {
  unsigned numLabels = 2;
  unsigned maxPorts = 9;
  unsigned maxRegions = 4;
  /// Whether pair tables may be any, or are only such that one cut solves them.
  bool generalPairs = true;
  /// All costs, and all bytes, are multiples of these.
  int64_t costUnit = 1, bytesUnit = 1;
};

/// A small problem with shared values, regions, pairs, equalities, pins and
/// infinite entries; passes `check`.  Not every one has a solution.
Problem makeRandomProblem(unsigned seed, const RandomOptions &options = {});

/// The same problem with ports, values, pairs and readers in another order;
/// port `p` becomes `portMap[p]`, and names change with `rename`.
Problem shuffle(const Problem &problem, unsigned seed, bool rename,
                std::vector<unsigned> &portMap);

} // namespace memfmt::assignment

#endif // MEMFMT_UNITTESTS_ASSIGNMENT_RANDOMPROBLEM_H
