//===- FormatLattice.h - how formats meet -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_FORMATLATTICE_H
#define MEMFMT_ANALYSIS_FORMATLATTICE_H

#include "memfmt/IR/Format.h"

namespace memfmt {

/// What is known of the format of a group of tensors of one rank, under the
/// `symmetric` policy: no information < contiguous < any other permutation <
/// channels-last < blocked < undecided. `meet` is commutative and associative.
/// Two different permutations meet in channels-last, two different blocked
/// formats in undecided (specification, section 4).
class FormatFact {
public:
  /// No information.
  FormatFact() = default;
  /// The format of a type; null is contiguous.
  static FormatFact known(mlir::Attribute format);

  static FormatFact meet(const FormatFact &a, const FormatFact &b);

  bool hasInformation() const { return level != Level::None; }
  bool isUndecided() const { return level == Level::Undecided; }

  /// The format for a tensor of this rank: contiguous without information,
  /// channels-last where undecided and the rank allows it.
  mlir::Attribute resolve(mlir::MLIRContext *context, int64_t rank) const;

  bool operator==(const FormatFact &other) const {
    return level == other.level && format == other.format;
  }

private:
  enum class Level {
    None,
    Contiguous,
    Permutation,
    ChannelsLast,
    Blocked,
    Undecided
  };
  FormatFact(Level level, mlir::Attribute format)
      : level(level), format(format) {}

  Level level = Level::None;
  mlir::Attribute format;
};

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_FORMATLATTICE_H
