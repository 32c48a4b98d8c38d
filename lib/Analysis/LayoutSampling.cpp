//===- LayoutSampling.cpp - rules of strides for dynamic sizes --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LayoutSampling.h"

#include "memfmt/Analysis/FormatPropagation.h"
#include "memfmt/Analysis/TorchStrides.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"

using namespace mlir;
using namespace memfmt;

/// Stand-ins for sizes that are not known; every dynamic size gets the same, so
/// that shapes that broadcast still do.
static constexpr int64_t kSamples[] = {6, 10};

/// The layout with numbers instead of `?`. Unknown strides follow from the
/// sizes where they are those of channels-last, else they are taken to be those
/// of a row-major tensor. None where the strides that are known contradict it.
static std::optional<StridedLayout>
instantiate(MLIRContext *context, const StridedLayout &layout, int64_t sample) {
  StridedLayout result = layout;
  for (int64_t &size : result.sizes)
    if (ShapedType::isDynamic(size))
      size = sample;
  if (ShapedType::isDynamic(result.offset))
    result.offset = 0;
  FormatAttr channelsLast = getChannelsLast(context);
  auto isLast = [&] {
    FailureOr<SmallVector<int64_t>> strides =
        channelsLast.getStrides(layout.sizes);
    return succeeded(strides) && *strides == layout.strides;
  };
  bool last = channelsLast.servesRank(layout.sizes.size()) && isLast();
  SmallVector<int64_t> dense =
      last ? *channelsLast.getStrides(result.sizes)
           : getNewStrides(result.sizes, MemoryFormat::Contiguous);
  bool guesses = llvm::any_of(result.strides, ShapedType::isDynamic);
  for (auto [axis, stride] : llvm::enumerate(result.strides)) {
    if (ShapedType::isDynamic(stride))
      stride = dense[axis];
    else if (guesses && stride != dense[axis] && result.sizes[axis] != 1)
      return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Dense formats of dynamic shapes
//===----------------------------------------------------------------------===//

StridedLayout memfmt::getDeclaredLayout(RankedTensorType type) {
  StridedLayout layout;
  layout.sizes = llvm::to_vector(type.getShape());
  if (auto strided = dyn_cast_or_null<StridedAttr>(type.getEncoding()))
    layout.offset = strided.getOffset();
  if (FormatAttrInterface format = getFormat(type)) {
    FailureOr<SmallVector<int64_t>> strides =
        format.getStrides(type.getShape());
    layout.strides =
        succeeded(strides)
            ? *strides
            : SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic);
    return layout;
  }
  int64_t stride = 1;
  layout.strides.resize(type.getRank());
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    layout.strides[axis] = stride;
    if (ShapedType::isDynamic(stride) || type.isDynamicDim(axis))
      stride = ShapedType::kDynamic;
    else
      stride = static_cast<int64_t>(
          static_cast<uint64_t>(stride) *
          static_cast<uint64_t>(std::max<int64_t>(type.getDimSize(axis), 1)));
  }
  return layout;
}

/// The order of axes that these strides, all known, sort into.
static SmallVector<int64_t> getOrderOf(const StridedLayout &layout) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(layout.sizes.size()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    if (layout.strides[a] != layout.strides[b])
      return layout.strides[a] > layout.strides[b];
    return layout.sizes[a] > layout.sizes[b];
  });
  return order;
}

Attribute memfmt::getFormatOfLayout(RankedTensorType type,
                                    const StridedLayout &layout) {
  MLIRContext *context = type.getContext();
  auto gives = [&](Attribute format) {
    StridedLayout declared = getDeclaredLayout(withFormat(type, format));
    return declared.strides == layout.strides;
  };
  if (layout.offset == 0) {
    if (gives({}))
      return {};
    FormatAttr channelsLast = getChannelsLast(context);
    if (channelsLast.servesRank(type.getRank()) && gives(channelsLast))
      return channelsLast;
    if (layout.isStatic())
      if (FormatAttr permuted = getPermuted(context, getOrderOf(layout));
          permuted && gives(permuted))
        return permuted;
  }
  return StridedAttr::get(context, layout.strides, layout.offset);
}

/// Whether elements lie at the same addresses: the strides of axes of size 1
/// address nothing.
static bool haveEqualMemory(const StridedLayout &a, const StridedLayout &b) {
  if (a.offset != b.offset)
    return false;
  for (auto [axis, size] : llvm::enumerate(a.sizes))
    if (size != 1 && a.strides[axis] != b.strides[axis])
      return false;
  return true;
}

std::optional<Attribute>
memfmt::getFormatOfMemory(RankedTensorType type, const StridedLayout &layout) {
  Attribute exact = getFormatOfLayout(type, layout);
  FormatAttr channelsLast = getChannelsLast(type.getContext());
  if (!exact || exact == channelsLast)
    return exact;
  auto gives = [&](Attribute format) {
    return haveEqualMemory(layout, getDeclaredLayout(withFormat(type, format)));
  };
  if (channelsLast.servesRank(type.getRank()) && gives(channelsLast))
    return channelsLast;
  if (gives({}))
    return Attribute();
  if (isa<StridedAttr>(exact))
    return std::nullopt;
  return exact;
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

static LogicalResult applyRule(Operation *op, ArrayRef<StridedLayout> operands,
                               MutableArrayRef<StridedLayout> results) {
  if (auto view = dyn_cast<ViewOpInterface>(op))
    if (std::optional<StridedLayout> layout = view.getViewLayout(operands[0])) {
      results[0] = *layout;
      return success();
    }
  if (auto rule = dyn_cast<TorchLayoutOpInterface>(op))
    return rule.inferTorchLayouts(operands, results);
  for (StridedLayout &result : results)
    result.strides = getNewStrides(result.sizes, MemoryFormat::Contiguous);
  return success();
}

/// Numbers that differ between two samples are not known.
static void merge(StridedLayout &into, const StridedLayout &other) {
  if (into.offset != other.offset)
    into.offset = ShapedType::kDynamic;
  for (auto [stride, second] : llvm::zip(into.strides, other.strides))
    if (stride != second)
      stride = ShapedType::kDynamic;
}

/// Nothing is known but the sizes.
static void forgetStrides(MutableArrayRef<StridedLayout> results) {
  for (StridedLayout &result : results) {
    result.strides.assign(result.sizes.size(), ShapedType::kDynamic);
    result.offset = ShapedType::kDynamic;
  }
}

LogicalResult memfmt::sampleRule(Operation *op,
                                 ArrayRef<StridedLayout> operands,
                                 MutableArrayRef<StridedLayout> results) {
  auto isStatic = [](const StridedLayout &layout) { return layout.isStatic(); };
  auto hasStaticSizes = [](const StridedLayout &layout) {
    return llvm::none_of(layout.sizes, ShapedType::isDynamic);
  };
  if (llvm::all_of(operands, isStatic) && llvm::all_of(results, hasStaticSizes))
    return applyRule(op, operands, results);
  SmallVector<SmallVector<StridedLayout>> samples;
  for (int64_t sample : kSamples) {
    SmallVector<StridedLayout> inputs, outputs;
    for (const StridedLayout &operand : operands) {
      std::optional<StridedLayout> input =
          instantiate(op->getContext(), operand, sample);
      if (!input) {
        forgetStrides(results);
        return success();
      }
      inputs.push_back(*input);
    }
    for (const StridedLayout &result : results)
      outputs.push_back(
          instantiate(op->getContext(), result, sample).value_or(result));
    if (failed(applyRule(op, inputs, outputs)))
      return failure();
    samples.push_back(std::move(outputs));
  }
  for (auto [index, result] : llvm::enumerate(results)) {
    SmallVector<int64_t> sizes = result.sizes;
    result = samples[0][index];
    merge(result, samples[1][index]);
    result.sizes = sizes;
  }
  return success();
}
