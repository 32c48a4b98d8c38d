//===- Compare.h - how far an array is from another -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_COMPARE_H
#define MEMFMT_RUNTIME_COMPARE_H

#include "memfmt/Runtime/HostTensor.h"

namespace memfmt::runtime {

struct Comparison {
  bool holds = false;
  /// Largest |x - y| over the finite elements.
  double maxAbsError = 0;
  /// What was allowed: atol + rtol * max|y|, y finite.
  double allowed = 0;
  /// Row-major index of the worst element: the first that is NaN or infinite
  /// in only one of the two, else the one with the largest error.
  int64_t worstIndex = -1;
  double actual = 0, expected = 0;
};

/// The rule of the specification: max|x - y| <= atol + rtol * max|y|, with NaN
/// and infinities in the same places. Integers and booleans must be equal.
/// Fails when shapes differ, and types but for the width of floats.
llvm::Expected<Comparison> compareTensors(const HostTensor &actual,
                                          const HostTensor &expected,
                                          double rtol, double atol);

/// The index of a row-major position, `[0, 12, 3]`.
std::string formatIndex(llvm::ArrayRef<int64_t> shape, int64_t position);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_COMPARE_H
