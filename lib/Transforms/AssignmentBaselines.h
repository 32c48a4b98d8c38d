//===- AssignmentBaselines.h - what other strategies cost -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_ASSIGNMENTBASELINES_H
#define MEMFMT_LIB_TRANSFORMS_ASSIGNMENTBASELINES_H

#include "AssignmentModel.h"

#include "memfmt/Assignment/Solution.h"

namespace memfmt {

/// The costs, in picoseconds, of simple strategies under the same prices; one
/// that cannot be carried out is left out:
/// `contiguous`: every format that is free is contiguous;
/// `wrapped`: every operation runs in its own best formats, in a contiguous
/// program, with conversions around it;
/// `propagation`: operations that gain take channels-last, all others follow
/// what they read.
llvm::SmallVector<std::pair<llvm::StringRef, int64_t>>
getBaselines(AssignmentModel &model);

/// By position in the solution: how much the least cost grows if this
/// conversion is forbidden. Conversions that cannot be avoided are left out,
/// and all but the first 16 that cost something.
llvm::DenseMap<unsigned, int64_t>
getRemovalCosts(const AssignmentModel &model,
                const assignment::Solution &solution);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_ASSIGNMENTBASELINES_H
