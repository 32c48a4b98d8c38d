//===- Strides.cpp - queries of memory formats on strides -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Strides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memfmt;

StringRef memfmt::stringifyMemoryFormat(MemoryFormat format) {
  switch (format) {
  case MemoryFormat::Contiguous:
    return "contiguous";
  case MemoryFormat::ChannelsLast1d:
    return "channels_last_1d";
  case MemoryFormat::ChannelsLast:
    return "channels_last";
  case MemoryFormat::ChannelsLast3d:
    return "channels_last_3d";
  }
  llvm_unreachable("unknown memory format");
}

std::optional<MemoryFormat> memfmt::symbolizeMemoryFormat(StringRef name) {
  return StringSwitch<std::optional<MemoryFormat>>(name)
      .Case("contiguous", MemoryFormat::Contiguous)
      .Case("channels_last_1d", MemoryFormat::ChannelsLast1d)
      .Case("channels_last", MemoryFormat::ChannelsLast)
      .Case("channels_last_3d", MemoryFormat::ChannelsLast3d)
      .Default(std::nullopt);
}

/// The axes from the innermost; none for a rank that the format does not serve.
static std::optional<SmallVector<int64_t>> innermostFirst(int64_t rank,
                                                          MemoryFormat format) {
  SmallVector<int64_t> axes;
  switch (format) {
  case MemoryFormat::Contiguous:
    return to_vector(reverse(seq<int64_t>(rank)));
  case MemoryFormat::ChannelsLast1d:
    axes = {1, 2, 0};
    break;
  case MemoryFormat::ChannelsLast:
    axes = {1, 3, 2, 0};
    break;
  case MemoryFormat::ChannelsLast3d:
    axes = {1, 4, 3, 2, 0};
    break;
  }
  if (rank != static_cast<int64_t>(axes.size()))
    return std::nullopt;
  return axes;
}

bool memfmt::isContiguousInOrder(ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> order) {
  if (is_sorted(order) && is_contained(sizes, 0))
    return true;
  int64_t expected = 1;
  bool tooLarge = false; // No stride equals a product above 63 bits.
  for (int64_t axis : reverse(order)) {
    if (sizes[axis] == 1)
      continue;
    if (tooLarge || strides[axis] != expected)
      return false;
    tooLarge = MulOverflow(expected, sizes[axis], expected);
  }
  return true;
}

bool memfmt::isContiguous(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                          MemoryFormat format) {
  auto axes = innermostFirst(sizes.size(), format);
  if (!axes)
    return false;
  return isContiguousInOrder(sizes, strides, to_vector(reverse(*axes)));
}

bool memfmt::isNonOverlappingAndDense(ArrayRef<int64_t> sizes,
                                      ArrayRef<int64_t> strides) {
  if (is_contained(sizes, 0))
    return true;
  // Dense in some order is dense in the order of the strides.
  SmallVector<std::pair<int64_t, int64_t>> axes;
  for (auto [size, stride] : zip_equal(sizes, strides))
    if (size != 1)
      axes.emplace_back(stride, size);
  llvm::sort(axes);
  int64_t expected = 1;
  bool tooLarge = false;
  for (auto [stride, size] : axes) {
    if (tooLarge || stride != expected)
      return false;
    tooLarge = MulOverflow(expected, size, expected);
  }
  return true;
}

bool memfmt::isLikeChannelsLast(ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> strides,
                                MemoryFormat format) {
  auto axes = innermostFirst(sizes.size(), format);
  if (format == MemoryFormat::Contiguous || !axes)
    return false;
  // An expanded channel axis says nothing.
  if (strides[1] == 0)
    return false;
  int64_t least = 0;
  bool tooLarge = false;
  for (int64_t axis : *axes) {
    if (sizes[axis] == 0 || tooLarge || strides[axis] < least)
      return false;
    // One channel and 1x1 maps, dense or cut out of wider ones: any format.
    if (axis == 0 && least == strides[1])
      return false;
    tooLarge = MulOverflow(strides[axis], sizes[axis], least);
  }
  return true;
}

MemoryFormat memfmt::suggestFormat(ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> strides, bool exact) {
  for (MemoryFormat format :
       {MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d}) {
    if (!isLikeChannelsLast(sizes, strides, format))
      continue;
    if (!exact)
      return format;
    auto dense = getDenseStrides(sizes, format);
    if (dense && ArrayRef<int64_t>(*dense) == strides)
      return format;
  }
  return MemoryFormat::Contiguous;
}

std::optional<SmallVector<int64_t>>
memfmt::getDenseStrides(ArrayRef<int64_t> sizes, MemoryFormat format) {
  auto axes = innermostFirst(sizes.size(), format);
  if (!axes)
    return std::nullopt;
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  bool tooLarge = false;
  for (int64_t axis : *axes) {
    if (tooLarge)
      return std::nullopt;
    strides[axis] = stride;
    // PyTorch counts an axis without elements as one in row-major order only.
    int64_t size = format == MemoryFormat::Contiguous
                       ? std::max<int64_t>(sizes[axis], 1)
                       : sizes[axis];
    tooLarge = MulOverflow(stride, size, stride);
  }
  return strides;
}
