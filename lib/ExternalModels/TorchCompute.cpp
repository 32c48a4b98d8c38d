//===- TorchCompute.cpp - PyTorch strides of convolutions, pools, norms -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What eager PyTorch 2.15 does on a CPU. It runs convolutions in oneDNN unless
// the function or module has the attribute `memfmt.without_onednn`
// (`torch.backends.mkldnn.enabled = False`).
//
//===----------------------------------------------------------------------===//

#include "TorchLayouts.h"

using namespace mlir;
using namespace memfmt;

/// The channels-last format of PyTorch for this rank; none for others.
static MemoryFormat getLastFormat(int64_t rank) {
  return rank == 4   ? MemoryFormat::ChannelsLast
         : rank == 5 ? MemoryFormat::ChannelsLast3d
                     : MemoryFormat::Contiguous;
}

static bool hasOneDNN(Operation *op) {
  for (Operation *scope = op->getParentOp(); scope;
       scope = scope->getParentOp())
    if (scope->hasAttr("memfmt.without_onednn"))
      return false;
  return true;
}

static bool hasPointWindow(const StridedLayout &filter) {
  return llvm::all_of(llvm::drop_begin(filter.sizes, 2),
                      [](int64_t size) { return size == 1; });
}

/// A one-dimensional operation runs as a two-dimensional one over height 1:
/// (N, C, L) seen as (N, C, 1, L).
static StridedLayout addHeight(const StridedLayout &layout) {
  StridedLayout result = layout;
  result.sizes.insert(result.sizes.begin() + 2, 1);
  result.strides.insert(result.strides.begin() + 2,
                        layout.sizes[2] * layout.strides[2]);
  return result;
}

static void allocateWithHeight(StridedLayout &result, MemoryFormat format) {
  SmallVector<int64_t> sizes = result.sizes;
  sizes.insert(sizes.begin() + 2, 1);
  result.strides = getNewStrides(sizes, format);
  result.strides.erase(result.strides.begin() + 2);
  result.offset = 0;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// Channels-last when input or filter suggest it: the filter alone can decide.
struct ConvRule {
  template <typename OpT>
  static LogicalResult infer(OpT op, Layouts operands, MutableLayouts results) {
    const StridedLayout &input = operands[0], &filter = operands[1];
    if (input.sizes.size() == 3) {
      // Of one-dimensional convolutions only the filter is asked.
      allocateWithHeight(results[0], suggestFormat(addHeight(filter)));
      return success();
    }
    MemoryFormat last = getLastFormat(input.sizes.size());
    bool isLast = suggestFormat(input) == last || suggestFormat(filter) == last;
    if (isLast && last == MemoryFormat::ChannelsLast3d)
      isLast = reachesOneDNN(op, filter);
    allocate(results[0], isLast ? last : MemoryFormat::Contiguous);
    return success();
  }

private:
  /// Three-dimensional convolutions keep channels-last only inside oneDNN,
  /// which does not get 1x1x1 windows.
  static bool reachesOneDNN(ConvOp op, const StridedLayout &filter) {
    return hasOneDNN(op) && !hasPointWindow(filter);
  }
  static bool reachesOneDNN(ConvTransposeOp, const StridedLayout &) {
    return true;
  }
};

/// Gradients have the format of the forward operation. That of a 1x1 filter,
/// and without oneDNN that of every filter which is contiguous in the format
/// anyway, keeps the strides of the filter.
struct ConvBackwardRule {
  static LogicalResult infer(ConvBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    const StridedLayout &input = operands[1], &filter = operands[2];
    MemoryFormat last = getLastFormat(input.sizes.size());
    bool isLast =
        last != MemoryFormat::Contiguous &&
        (suggestFormat(input) == last || suggestFormat(filter) == last);
    MemoryFormat format = isLast ? last : MemoryFormat::Contiguous;
    allocate(results[0], format);
    allocate(results[1], format);
    if ((hasPointWindow(filter) || !hasOneDNN(op)) &&
        isContiguous(filter.sizes, filter.strides, format))
      results[1].strides = filter.strides;
    allocate(results[2], MemoryFormat::Contiguous);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Whether an average pool is the mean of all that each channel has.
static bool isMean(PoolKind kind, const StridedLayout &pooled) {
  return kind == PoolKind::avg &&
         llvm::all_of(llvm::drop_begin(pooled.sizes, 2),
                      [](int64_t size) { return size == 1; });
}

/// Average pools over three axes give up the format.
struct PoolRule {
  static LogicalResult infer(PoolOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getKind() != PoolKind::max && operands[0].sizes.size() == 5)
      return RowMajorRule::infer(op, operands, results);
    return SuggestedRule::infer(op, operands, results);
  }
};

/// Over three axes only the mean of everything keeps the format.
struct AdaptivePoolRule {
  static LogicalResult infer(AdaptivePoolOp op, Layouts operands,
                             MutableLayouts results) {
    StridedLayout &result = results[0];
    if (operands[0].sizes.size() == 3) {
      allocateWithHeight(result, suggestFormat(addHeight(operands[0])));
      return success();
    }
    if (operands[0].sizes.size() == 5 && !isMean(op.getKind(), result))
      return RowMajorRule::infer(op, operands, results);
    return SuggestedRule::infer(op, operands, results);
  }
};

/// Over three axes the gradient is row-major. That of a mean is a quotient of
/// the expanded gradient: row-major, too.
struct AdaptivePoolBackwardRule {
  static LogicalResult infer(AdaptivePoolBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    const StridedLayout &input = operands[1];
    if (input.sizes.size() == 5 || isMean(op.getKind(), operands[0]))
      return RowMajorRule::infer(op, operands, results);
    if (input.sizes.size() == 3)
      allocateWithHeight(results[0], suggestFormat(addHeight(input)));
    else
      allocate(results[0], suggestFormat(input));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// What is contiguous, in either format, keeps that: an input that is both is
/// row-major. Otherwise the format that the strides suggest.
struct DenseFirstRule {
  template <typename OpT>
  static LogicalResult infer(OpT, Layouts operands, MutableLayouts results) {
    const StridedLayout &input = operands[0];
    MemoryFormat last = getLastFormat(input.sizes.size());
    MemoryFormat format = suggestFormat(input);
    for (MemoryFormat candidate : {last, MemoryFormat::Contiguous})
      if (isContiguous(input.sizes, input.strides, candidate))
        format = candidate;
    allocate(results[0], format);
    for (StridedLayout &result : results.drop_front())
      allocate(result, MemoryFormat::Contiguous);
    return success();
  }
};

/// The gradient of the input has its format; the others are vectors.
struct NormBackwardRule {
  template <typename OpT>
  static LogicalResult infer(OpT, Layouts operands, MutableLayouts results) {
    allocate(results[0], suggestFormat(operands[1]));
    for (StridedLayout &result : results.drop_front())
      allocate(result, MemoryFormat::Contiguous);
    return success();
  }
};

/// A quotient of the input and a row-major tensor.
struct LocalResponseNormRule {
  static LogicalResult infer(LocalResponseNormOp, Layouts operands,
                             MutableLayouts results) {
    StridedLayout divisor = results[0];
    allocate(divisor, MemoryFormat::Contiguous);
    results[0].strides =
        getElementwiseStrides({operands[0], divisor}, results[0].sizes);
    return success();
  }
};

template <typename RuleT, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<TorchRule<RuleT, Ops>>(*context), ...);
}
} // namespace

void memfmt::attachTorchComputeRules(MLIRContext *context) {
  attach<ConvRule, ConvOp, ConvTransposeOp>(context);
  attach<ConvBackwardRule, ConvBackwardOp>(context);
  attach<PoolRule, PoolOp>(context);
  attach<AdaptivePoolRule, AdaptivePoolOp>(context);
  attach<AdaptivePoolBackwardRule, AdaptivePoolBackwardOp>(context);
  attach<SuggestedRule, MaxPoolIndicesOp, MaxUnpoolOp, ResizeOp,
         ResizeBackwardOp, GroupNormOp>(context);
  attach<DenseFirstRule, BatchNormOp, BatchNormTrainingOp>(context);
  attach<NormBackwardRule, PoolBackwardOp, BatchNormBackwardOp,
         GroupNormBackwardOp>(context);
  attach<LocalResponseNormRule, LocalResponseNormOp>(context);
  attach<RowMajorRule, InstanceNormOp, LayerNormOp, LayerNormBackwardOp,
         SoftmaxOp, LinearOp, MatmulOp, memfmt::ReduceOp>(context);
}
