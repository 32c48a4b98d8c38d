//===- BruteForce.h - the answer by enumeration -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_ASSIGNMENT_BRUTEFORCE_H
#define MEMFMT_UNITTESTS_ASSIGNMENT_BRUTEFORCE_H

#include "memfmt/Assignment/Solution.h"

#include <optional>

namespace memfmt::assignment {

/// The objective of one labelling by trying all sets of conversions of each
/// value; nothing if it is not allowed.  Any number of labels.
std::optional<Objective> bruteForceObjective(const Problem &problem,
                                             llvm::ArrayRef<unsigned> labels);

/// The least objective of all labellings; nothing if none is allowed.
std::optional<Objective> bruteForce(const Problem &problem);

} // namespace memfmt::assignment

#endif // MEMFMT_UNITTESTS_ASSIGNMENT_BRUTEFORCE_H
