//===- Checker.h - checks a certificate without a solver --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ASSIGNMENT_CHECKER_H
#define MEMFMT_ASSIGNMENT_CHECKER_H

#include "memfmt/Assignment/Certificate.h"

namespace memfmt::assignment {

/// Succeeds if `certificate` proves what it claims of `labels`: they cost its
/// objective, and no labelling of `problem` costs less than its lower bound.
/// Time is linear in problem and certificate.  Builds capacities from the
/// problem by the text in Certificate.h and shares no code with the solver's
/// network or flow.  The error says what does not hold and where.
///
/// A certificate with `lowerBound < objective` may be valid; ask
/// `claimsMinimal` for whether the labels are proved to be minimal.
llvm::Error checkCertificate(const Problem &problem,
                             llvm::ArrayRef<unsigned> labels,
                             const Certificate &certificate);

} // namespace memfmt::assignment

#endif // MEMFMT_ASSIGNMENT_CHECKER_H
