//===- ValueRegions.h - where conversions of a value may stand --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_ASSIGNMENT_VALUEREGIONS_H
#define MEMFMT_LIB_ASSIGNMENT_VALUEREGIONS_H

#include "memfmt/Assignment/Problem.h"

namespace memfmt::assignment {

/// All regions from the definition of `value` down to a reader, outer regions
/// before those inside them; empty if nothing reads the value.
llvm::SmallVector<unsigned, 4> getValueRegions(const Problem &problem,
                                               const Value &value);

/// `cost` times `weight`, where infinity stays infinity even at weight 0.
inline int64_t weighted(int64_t cost, int64_t weight) {
  return cost == kInfinity ? kInfinity : cost * weight;
}

/// The factors with which an objective becomes one integer (Certificate.h);
/// `cost` is 0 if they are too large to use.
struct Scale {
  __extension__ using Integer = __int128;
  Integer cost = 0, conversions = 0, bytes = 0;

  explicit Scale(const Problem &problem);
};

} // namespace memfmt::assignment

#endif // MEMFMT_LIB_ASSIGNMENT_VALUEREGIONS_H
