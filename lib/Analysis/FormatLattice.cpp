//===- FormatLattice.cpp - how formats meet ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/FormatLattice.h"

using namespace mlir;
using namespace memfmt;

FormatFact FormatFact::known(Attribute format) {
  auto interface = dyn_cast_or_null<FormatAttrInterface>(format);
  auto named = dyn_cast_or_null<FormatAttr>(format);
  // Strided views meet as row-major ones: their strides promise nothing.
  if (!interface || isa<StridedAttr>(format) || (named && named.isRowMajor()))
    return {Level::Contiguous, {}};
  if (named && named.isChannelsLast())
    return {Level::ChannelsLast, format};
  if (!interface.getInnerBlocks().empty())
    return {Level::Blocked, format};
  return {Level::Permutation, format};
}

FormatFact FormatFact::meet(const FormatFact &a, const FormatFact &b) {
  if (a.level != b.level)
    return a.level > b.level ? a : b;
  if (a.format == b.format)
    return a;
  if (a.level == Level::Permutation)
    return known(getChannelsLast(a.format.getContext()));
  return {Level::Undecided, {}};
}

Attribute FormatFact::resolve(MLIRContext *context, int64_t rank) const {
  if (level == Level::None || level == Level::Contiguous)
    return {};
  FormatAttr channelsLast = getChannelsLast(context);
  bool byDefault = level == Level::Undecided || level == Level::ChannelsLast;
  if (byDefault)
    return rank >= 3 && rank <= 5 ? Attribute(channelsLast) : Attribute();
  return format;
}
