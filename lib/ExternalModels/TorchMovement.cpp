//===- TorchMovement.cpp - PyTorch strides of moved elements ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TorchLayouts.h"

#include "memfmt/IR/Format.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Formats asked for
//===----------------------------------------------------------------------===//

static MemoryFormat toMemoryFormat(FormatRequest request) {
  switch (request) {
  case FormatRequest::preserve:
  case FormatRequest::contiguous:
    return MemoryFormat::Contiguous;
  case FormatRequest::channels_last:
    return MemoryFormat::ChannelsLast;
  case FormatRequest::channels_last_3d:
    return MemoryFormat::ChannelsLast3d;
  }
  llvm_unreachable("unknown request");
}

/// New memory in the format asked for.
static void allocateAsAsked(StridedLayout &result, FormatRequest request,
                            const StridedLayout &source) {
  if (request == FormatRequest::preserve) {
    result.strides = getPreservedStrides(source);
    result.offset = 0;
  } else {
    allocate(result, toMemoryFormat(request));
  }
}

namespace {
struct RequestRule {
  static LogicalResult infer(RequestFormatOp op, Layouts operands,
                             MutableLayouts results) {
    if (returnsOperand(op, operands[0]))
      results[0] = operands[0];
    else
      allocateAsAsked(results[0], op.getFormat(), operands[0]);
    return success();
  }

private:
  /// `to` compares with what the strides suggest, `contiguous` asks whether the
  /// tensor is contiguous: they differ where axes have size 1.
  static bool returnsOperand(RequestFormatOp op, const StridedLayout &source) {
    MemoryFormat format = toMemoryFormat(op.getFormat());
    switch (op.getKind()) {
    case RequestKind::clone:
      return false;
    case RequestKind::contiguous:
      return isContiguous(source.sizes, source.strides, format);
    case RequestKind::to:
      return !op.getCopy() &&
             op.getInput().getType().getElementType() ==
                 op.getResult().getType().getElementType() &&
             (op.getFormat() == FormatRequest::preserve ||
              suggestFormat(source) == format);
    }
    llvm_unreachable("unknown kind");
  }
};

struct FullLikeRule {
  static LogicalResult infer(FullLikeOp op, Layouts operands,
                             MutableLayouts results) {
    allocateAsAsked(results[0], op.getFormat(), operands[0]);
    return success();
  }
};

/// Only `preserve` is left to a rule; other options declare a format.
struct EmptyLikeRule {
  static LogicalResult infer(EmptyLikeOp op, Layouts operands,
                             MutableLayouts results) {
    switch (op.getOption()) {
    case LikeOption::preserve:
      results[0].strides = getPreservedStrides(operands[0]);
      break;
    case LikeOption::contiguous:
      allocate(results[0], MemoryFormat::Contiguous);
      break;
    case LikeOption::channels_last:
      allocate(results[0], MemoryFormat::ChannelsLast);
      break;
    case LikeOption::channels_last_3d:
      allocate(results[0], MemoryFormat::ChannelsLast3d);
      break;
    case LikeOption::format:
      // The type says it: nothing to infer.
      break;
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Padding, flips, shuffles
//===----------------------------------------------------------------------===//

struct PadRule {
  static LogicalResult infer(memfmt::PadOp op, Layouts operands,
                             MutableLayouts results) {
    auto addsNothing = [](int64_t pad) { return pad <= 0; };
    if (op.getMode() == PadMode::circular) {
      allocate(results[0], MemoryFormat::Contiguous);
    } else if (op.getMode() == PadMode::constant &&
               llvm::all_of(op.getLow(), addsNothing) &&
               llvm::all_of(op.getHigh(), addsNothing)) {
      // A clone of a slice.
      StridedLayout slice = operands[0];
      slice.sizes = results[0].sizes;
      results[0].strides = getPreservedStrides(slice);
    } else {
      allocate(results[0], suggestFormat(operands[0]));
    }
    return success();
  }
};

struct FlipRule {
  static LogicalResult infer(FlipOp, Layouts operands, MutableLayouts results) {
    results[0].strides = getPreservedStrides(operands[0]);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The format that all tensors suggest; row-major where they differ.
static MemoryFormat suggestTogether(Layouts operands) {
  MemoryFormat format = suggestFormat(operands.front());
  for (const StridedLayout &operand : operands.drop_front())
    if (suggestFormat(operand) != format)
      return MemoryFormat::Contiguous;
  return format;
}

struct ConcatRule {
  static LogicalResult infer(tensor::ConcatOp, Layouts operands,
                             MutableLayouts results) {
    allocate(results[0], suggestTogether(operands));
    return success();
  }
};

/// For each axis a concatenation of the two parts that change places; one
/// without elements suggests nothing but row-major.
struct RollRule {
  static LogicalResult infer(RollOp op, Layouts operands,
                             MutableLayouts results) {
    StridedLayout rolled = operands[0];
    rolled.offset = 0;
    if (llvm::is_contained(rolled.sizes, 0))
      rolled.strides = getPreservedStrides(rolled);
    else
      for (auto [axis, shift] : llvm::zip_equal(op.getAxes(), op.getShifts()))
        rollAxis(rolled, axis, shift);
    results[0] = rolled;
    return success();
  }

private:
  static void rollAxis(StridedLayout &layout, int64_t axis, int64_t shift) {
    int64_t size = layout.sizes[axis];
    int64_t start = ((size - shift) % size + size) % size;
    StridedLayout first = layout, second = layout;
    first.sizes[axis] = size - start;
    second.sizes[axis] = start;
    allocate(layout, suggestTogether({first, second}));
  }
};

/// A concatenation along the axis that stands at the place of the new one, seen
/// in the shape of the result; behind the last axis one of tensors with a last
/// axis of size 1.
struct StackRule {
  static LogicalResult infer(StackOp op, Layouts operands,
                             MutableLayouts results) {
    int64_t axis = op.getAxis(), rank = operands[0].sizes.size();
    if (axis == rank) {
      SmallVector<StridedLayout> columns(operands);
      for (StridedLayout &column : columns) {
        column.sizes.push_back(1);
        column.strides.push_back(1);
      }
      allocate(results[0], suggestTogether(columns));
      return success();
    }
    StridedLayout joined = operands[0];
    joined.sizes[axis] *= operands.size();
    allocate(joined, suggestTogether(operands));
    if (std::optional<SmallVector<int64_t>> strides =
            getViewStrides(joined, results[0].sizes))
      results[0].strides = *strides;
    return success();
  }
};

/// A product of the two halves.
struct GluRule {
  static LogicalResult infer(GluOp, Layouts operands, MutableLayouts results) {
    StridedLayout half = operands[0];
    half.sizes = results[0].sizes;
    results[0].strides = getElementwiseStrides({half, half}, results[0].sizes);
    return success();
  }
};

/// A reshape that no view expresses copies.
struct ReshapeRule {
  static LogicalResult infer(ReshapeOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getView()) {
      auto diagnostic = op.emitOpError("cannot view strides [");
      llvm::interleaveComma(operands[0].strides, diagnostic);
      return diagnostic << "] of " << op.getInput().getType() << " as "
                        << op.getResult().getType()
                        << "; drop `view` to copy where it must";
    }
    allocate(results[0], MemoryFormat::Contiguous);
    return success();
  }
};

/// A slice is a view.
struct ExtractSliceView
    : ViewOpInterface::ExternalModel<ExtractSliceView, tensor::ExtractSliceOp> {
  std::optional<StridedLayout>
  getViewLayout(Operation *op, const StridedLayout &source) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    RankedTensorType type = slice.getType();
    StridedLayout view;
    view.offset = source.offset;
    view.sizes = llvm::to_vector(type.getShape());
    for (auto [axis, stride] : llvm::enumerate(source.strides)) {
      view.offset =
          multiplyAdd(slice.getStaticOffsets()[axis], stride, view.offset);
      if (!dropped.test(axis))
        view.strides.push_back(
            multiplyAdd(slice.getStaticStrides()[axis], stride, 0));
    }
    return view;
  }

private:
  static int64_t multiplyAdd(int64_t a, int64_t b, int64_t c) {
    if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ||
        ShapedType::isDynamic(c))
      return ShapedType::kDynamic;
    return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                    static_cast<uint64_t>(b) +
                                static_cast<uint64_t>(c));
  }
};

template <typename RuleT, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<TorchRule<RuleT, Ops>>(*context), ...);
}
} // namespace

void memfmt::attachTorchMovementRules(MLIRContext *context) {
  attach<RequestRule, RequestFormatOp>(context);
  attach<FullLikeRule, FullLikeOp>(context);
  attach<EmptyLikeRule, EmptyLikeOp>(context);
  attach<PadRule, memfmt::PadOp>(context);
  attach<FlipRule, FlipOp>(context);
  attach<RollRule, RollOp>(context);
  attach<ConcatRule, tensor::ConcatOp>(context);
  attach<StackRule, StackOp>(context);
  attach<GluRule, GluOp>(context);
  attach<ReshapeRule, ReshapeOp>(context);
  attach<SuggestedRule, PixelShuffleOp, PixelUnshuffleOp, ChannelShuffleOp>(
      context);
  attach<RowMajorRule, RepeatOp, IndexSelectOp, tensor::EmptyOp>(context);
  tensor::ExtractSliceOp::attachInterface<ExtractSliceView>(*context);
}
