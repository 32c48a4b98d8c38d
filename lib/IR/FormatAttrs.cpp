//===- FormatAttrs.cpp - memory formats as attributes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

/// Batch first, channels last: 0, 2, ..., rank - 1, 1.
static SmallVector<int64_t> channelsLastOrder(int64_t rank) {
  SmallVector<int64_t> order = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    order.push_back(axis);
  order.push_back(1);
  return order;
}

/// Largest block, and largest product of all blocks of a format: products with
/// a size of a tensor are then easy to check.
static constexpr int64_t kMaxBlock = int64_t(1) << 31;

static bool isPermutation(ArrayRef<int64_t> order) {
  SmallVector<bool> seen(order.size(), false);
  for (int64_t axis : order) {
    if (axis < 0 || axis >= static_cast<int64_t>(order.size()) || seen[axis])
      return false;
    seen[axis] = true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// FormatAttr
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> FormatAttr::getCanonicalOrder(ArrayRef<int64_t> order,
                                                ArrayRef<int64_t> blockAxes) {
  int64_t rank = order.size();
  bool named = blockAxes.empty() && rank >= 3 && rank <= 5 &&
               llvm::equal(order, channelsLastOrder(rank));
  return named ? ArrayRef<int64_t>() : order;
}

LogicalResult FormatAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> order,
                                 ArrayRef<int64_t> blockAxes,
                                 ArrayRef<int64_t> blockSizes) {
  if (order.empty() && !blockAxes.empty())
    return emitError() << "expects an order of axes with blocks";
  if (!isPermutation(order)) {
    auto diagnostic = emitError()
                      << "expects each axis from 0 to " << order.size() - 1
                      << " once in an order, found [";
    llvm::interleaveComma(order, diagnostic);
    return diagnostic << "]";
  }
  if (blockAxes.size() != blockSizes.size())
    return emitError() << "expects one size for each of " << blockAxes.size()
                       << " blocks, found " << blockSizes.size();
  int64_t product = 1;
  for (auto [axis, size] : llvm::zip_equal(blockAxes, blockSizes)) {
    if (axis < 0 || axis >= static_cast<int64_t>(order.size()))
      return emitError() << "expects blocks of axes from 0 to "
                         << order.size() - 1 << ", found axis " << axis;
    if (size < 1 || size > kMaxBlock)
      return emitError() << "expects blocks of 1 to 2^31, found " << size;
    product *= size;
    if (product > kMaxBlock)
      return emitError() << "expects blocks that multiply to at most 2^31, "
                            "found more with the block of "
                         << size;
  }
  return success();
}

bool FormatAttr::isRowMajor() const {
  return !isChannelsLast() && getBlockAxes().empty() &&
         llvm::is_sorted(getOrder());
}

SmallVector<int64_t> FormatAttr::getOrder(int64_t rank) const {
  return isChannelsLast() ? channelsLastOrder(rank)
                          : llvm::to_vector(getOrder());
}

SmallVector<std::pair<int64_t, int64_t>> FormatAttr::getInnerBlocks() const {
  return llvm::to_vector(llvm::map_range(
      llvm::zip_equal(getBlockAxes(), getBlockSizes()), [](auto block) {
        return std::pair<int64_t, int64_t>(std::get<0>(block),
                                           std::get<1>(block));
      }));
}

FailureOr<SmallVector<int64_t>>
FormatAttr::getStrides(ArrayRef<int64_t> shape) const {
  if (!getBlockAxes().empty())
    return failure();
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t axis : llvm::reverse(getOrder(shape.size()))) {
    strides[axis] = stride;
    if (ShapedType::isDynamic(stride) || ShapedType::isDynamic(shape[axis]))
      stride = ShapedType::kDynamic;
    else if (llvm::MulOverflow(stride, shape[axis], stride))
      return failure();
  }
  return strides;
}

SmallVector<int64_t>
FormatAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> physical;
  for (int64_t axis : getOrder(shape.size())) {
    int64_t size = shape[axis];
    for (auto [blockAxis, blockSize] : getInnerBlocks())
      if (blockAxis == axis && !ShapedType::isDynamic(size))
        size = llvm::divideCeil(static_cast<uint64_t>(size),
                                static_cast<uint64_t>(blockSize));
    physical.push_back(size);
  }
  llvm::append_range(physical, getBlockSizes());
  return physical;
}

Attribute FormatAttr::permuteAxes(ArrayRef<int64_t> permutation) const {
  SmallVector<int64_t> newAxis(permutation.size());
  for (auto [axis, old] : llvm::enumerate(permutation))
    newAxis[old] = axis;
  auto rename = [&](ArrayRef<int64_t> axes) {
    return llvm::map_to_vector(axes, [&](int64_t a) { return newAxis[a]; });
  };
  FormatAttr renamed = get(getContext(), rename(getOrder(permutation.size())),
                           rename(getBlockAxes()), getBlockSizes());
  return renamed.isRowMajor() ? Attribute() : renamed;
}

bool FormatAttr::servesRank(int64_t rank) const {
  if (isChannelsLast())
    return rank >= 3 && rank <= 5;
  return rank == static_cast<int64_t>(getOrder().size());
}

LogicalResult
FormatAttr::verifyForRank(int64_t rank,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (servesRank(rank))
    return success();
  if (isChannelsLast())
    return emitError() << "`channels_last` expects a tensor of rank 3, 4 or "
                          "5, found rank "
                       << rank;
  return emitError() << "format of " << getOrder().size()
                     << " axes expects a tensor of rank " << getOrder().size()
                     << ", found rank " << rank;
}

LogicalResult
FormatAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  return verifyForRank(shape.size(), emitError);
}

//===----------------------------------------------------------------------===//
// StridedAttr
//===----------------------------------------------------------------------===//

LogicalResult StridedAttr::verify(function_ref<InFlightDiagnostic()>,
                                  ArrayRef<int64_t>, int64_t) {
  return success();
}

/// Larger strides lie further out; equal ones keep the order of the axes.
SmallVector<int64_t> StridedAttr::getOrder(int64_t rank) const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (llvm::any_of(getStrides(), ShapedType::isDynamic))
    return order;
  auto key = [&](int64_t axis) {
    int64_t stride = getStrides()[axis];
    uint64_t magnitude = stride < 0 ? 0 - static_cast<uint64_t>(stride)
                                    : static_cast<uint64_t>(stride);
    return std::pair(~magnitude, axis);
  };
  llvm::sort(order, [&](int64_t a, int64_t b) { return key(a) < key(b); });
  return order;
}

SmallVector<std::pair<int64_t, int64_t>> StridedAttr::getInnerBlocks() const {
  return {};
}

FailureOr<SmallVector<int64_t>>
StridedAttr::getStrides(ArrayRef<int64_t>) const {
  return llvm::to_vector(getStrides());
}

SmallVector<int64_t>
StridedAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  return llvm::map_to_vector(getOrder(shape.size()),
                             [&](int64_t axis) { return shape[axis]; });
}

Attribute StridedAttr::permuteAxes(ArrayRef<int64_t> permutation) const {
  return get(getContext(),
             llvm::map_to_vector(
                 permutation, [&](int64_t old) { return getStrides()[old]; }),
             getOffset());
}

bool StridedAttr::servesRank(int64_t rank) const {
  return rank == static_cast<int64_t>(getStrides().size());
}

LogicalResult
StridedAttr::verifyForRank(int64_t rank,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (!servesRank(rank))
    return emitError() << getStrides().size()
                       << " strides expect a tensor of rank "
                       << getStrides().size() << ", found rank " << rank;
  return success();
}

LogicalResult StridedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyForRank(shape.size(), emitError);
}
