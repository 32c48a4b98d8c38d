//===- TorchStrides.cpp - the strides that eager PyTorch chooses -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/TorchStrides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace memfmt;

/// Products of sizes wrap; no tensor with such sizes exists.
static int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

SmallVector<int64_t> memfmt::getNewStrides(ArrayRef<int64_t> sizes,
                                           MemoryFormat format) {
  if (auto strides = getDenseStrides(sizes, format))
    return *strides;
  // Another rank, or more elements than any memory has.
  return getDenseStrides(sizes).value_or(SmallVector<int64_t>(sizes.size(), 1));
}

MemoryFormat memfmt::suggestFormat(const StridedLayout &layout) {
  return suggestFormat(layout.sizes, layout.strides);
}

SmallVector<int64_t> memfmt::getPreservedStrides(const StridedLayout &source) {
  if (isNonOverlappingAndDense(source.sizes, source.strides))
    return source.strides;
  MemoryFormat format = suggestFormat(source);
  if (format != MemoryFormat::Contiguous)
    return getNewStrides(source.sizes, format);
  return getElementwiseStrides({source}, source.sizes, /*fast=*/false);
}

/// The layout that all operands of one shape agree on.
static std::optional<SmallVector<int64_t>>
findCommonStrides(ArrayRef<StridedLayout> operands, ArrayRef<int64_t> sizes) {
  auto all = [&](auto predicate) { return all_of(operands, predicate); };
  if (!all([&](const StridedLayout &o) { return o.sizes == sizes; }))
    return std::nullopt;
  for (MemoryFormat format :
       {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
    if (all([&](const StridedLayout &o) {
          return isContiguous(o.sizes, o.strides, format);
        }))
      return getNewStrides(sizes, format);
  if (all([&](const StridedLayout &o) {
        return isNonOverlappingAndDense(o.sizes, o.strides) &&
               o.strides == operands.front().strides;
      }))
    return operands.front().strides;
  return std::nullopt;
}

namespace {
/// Orders the axes of a shape from innermost to outermost.
class AxisOrder {
public:
  AxisOrder(ArrayRef<StridedLayout> operands, ArrayRef<int64_t> sizes);
  SmallVector<int64_t> compute() const;

private:
  int compare(int64_t inner, int64_t outer) const;

  ArrayRef<int64_t> sizes;
  /// Strides by operand and axis, 0 where the operand does not run.
  SmallVector<SmallVector<int64_t>> strides;
};
} // namespace

AxisOrder::AxisOrder(ArrayRef<StridedLayout> operands, ArrayRef<int64_t> sizes)
    : sizes(sizes) {
  for (const StridedLayout &operand : operands) {
    SmallVector<int64_t> aligned(sizes.size(), 0);
    unsigned first = sizes.size() - operand.sizes.size();
    for (auto [axis, size] : enumerate(operand.sizes))
      if (size != 1 || sizes[first + axis] == 1)
        aligned[first + axis] = operand.strides[axis];
    strides.push_back(std::move(aligned));
  }
}

/// Positive when the axes must change places, 0 when nothing says so.
int AxisOrder::compare(int64_t inner, int64_t outer) const {
  for (ArrayRef<int64_t> operand : strides) {
    int64_t a = operand[inner], b = operand[outer];
    if (a == 0 || b == 0)
      continue;
    if (a != b)
      return a < b ? -1 : 1;
    // Equal strides: the larger axis goes out.
    if (sizes[inner] > sizes[outer])
      return 1;
  }
  return 0;
}

/// An insertion sort, because the comparison is not transitive and PyTorch's
/// answer depends on the order of comparisons.
SmallVector<int64_t> AxisOrder::compute() const {
  auto order = to_vector(reverse(seq<int64_t>(sizes.size())));
  for (int64_t i = 1, e = order.size(); i < e; ++i) {
    int64_t moving = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      int comparison = compare(order[j], order[moving]);
      if (comparison < 0)
        break;
      if (comparison > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  return order;
}

SmallVector<int64_t>
memfmt::getElementwiseStrides(ArrayRef<StridedLayout> operands,
                              ArrayRef<int64_t> sizes, bool fast) {
  if (fast)
    if (auto common = findCommonStrides(operands, sizes))
      return *common;
  SmallVector<int64_t> order = AxisOrder(operands, sizes).compute();
  if (is_sorted(reverse(order)))
    return getNewStrides(sizes, MemoryFormat::Contiguous);
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (int64_t axis : order) {
    strides[axis] = stride;
    stride = times(stride, sizes[axis]);
  }
  return strides;
}
