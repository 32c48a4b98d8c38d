//===- TorchCompute.cpp - PyTorch strides of pools and norms -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What eager PyTorch 2.15 does on a CPU.
//
//===----------------------------------------------------------------------===//

#include "TorchLayouts.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Whether an average pool is the mean of all that each channel has.
static bool isMean(PoolKind kind, const StridedLayout &pooled) {
  return kind == PoolKind::avg &&
         llvm::all_of(llvm::drop_begin(pooled.sizes, 2),
                      [](int64_t size) { return size == 1; });
}

/// New memory in the format that a tensor of the same rank suggests; over one
/// axis that of its form with height.
static void allocateAs(StridedLayout &result, const StridedLayout &like) {
  if (result.sizes.size() == 3)
    allocateWithHeight(result, suggestFormat(addHeight(like)));
  else
    allocate(result, suggestFormat(like));
}

namespace {
/// Average pools over three axes give up the format; over one axis they run
/// with height, maxima do not.
struct PoolRule {
  static LogicalResult infer(PoolOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getKind() != PoolKind::max && operands[0].sizes.size() == 5)
      return RowMajorRule::infer(op, operands, results);
    if (op.getKind() == PoolKind::max)
      return SuggestedRule::infer(op, operands, results);
    allocateAs(results[0], operands[0]);
    return success();
  }
};

struct PoolBackwardRule {
  static LogicalResult infer(PoolBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getKind() != PoolKind::max && operands[1].sizes.size() == 5)
      return RowMajorRule::infer(op, operands, results);
    allocateAs(results[0], operands[1]);
    return success();
  }
};

/// Over three axes only the mean of everything keeps the format.
struct AdaptivePoolRule {
  static LogicalResult infer(AdaptivePoolOp op, Layouts operands,
                             MutableLayouts results) {
    if (operands[0].sizes.size() == 5 && !isMean(op.getKind(), results[0]))
      return RowMajorRule::infer(op, operands, results);
    allocateAs(results[0], operands[0]);
    return success();
  }
};

/// Over three axes the gradient is row-major. That of a mean is the expanded
/// gradient of the result over a number.
struct AdaptivePoolBackwardRule {
  static LogicalResult infer(AdaptivePoolBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    const StridedLayout &input = operands[1];
    if (isMean(op.getKind(), operands[0])) {
      results[0].strides = input.sizes.size() == 3
                               ? inferMean1d(input, operands[0])
                               : inferMean(input, operands[0]);
      return success();
    }
    if (input.sizes.size() == 5)
      return RowMajorRule::infer(op, operands, results);
    allocateAs(results[0], input);
    return success();
  }

private:
  static SmallVector<int64_t> inferMean(const StridedLayout &input,
                                        StridedLayout gradient) {
    // A mean of channels-last ends in a view of channels-last strides.
    if (suggestFormat(input) != MemoryFormat::Contiguous)
      allocate(gradient, MemoryFormat::Contiguous);
    StridedLayout expanded = gradient;
    expanded.sizes = input.sizes;
    for (size_t axis = 2; axis < input.sizes.size(); ++axis)
      if (input.sizes[axis] != 1)
        expanded.strides[axis] = 0;
    return getElementwiseStrides({expanded, StridedLayout()}, input.sizes);
  }
  static SmallVector<int64_t> inferMean1d(const StridedLayout &input,
                                          const StridedLayout &gradient) {
    SmallVector<int64_t> strides =
        inferMean(addHeight(input), addHeight(gradient));
    strides.erase(strides.begin() + 2);
    return strides;
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

/// That of the input is one like the input, made contiguous in the format that
/// it suggests.
struct GroupNormBackwardRule {
  static LogicalResult infer(GroupNormBackwardOp, Layouts operands,
                             MutableLayouts results) {
    StridedLayout input = operands[1];
    MemoryFormat format = suggestFormat(input);
    if (!isContiguous(input.sizes, input.strides, format))
      input.strides = getNewStrides(input.sizes, format);
    results[0].strides = getPreservedStrides(input);
    for (StridedLayout &result : results.drop_front())
      allocate(result, MemoryFormat::Contiguous);
    return success();
  }
};

/// Cubic resizes, and over three axes the nearest, have row-major gradients.
struct ResizeBackwardRule {
  static LogicalResult infer(ResizeBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    bool nearest = op.getMode() == ResizeMode::nearest;
    if (op.getMode() == ResizeMode::cubic ||
        (nearest && operands[0].sizes.size() == 5))
      return RowMajorRule::infer(op, operands, results);
    return SuggestedRule::infer(op, operands, results);
  }
};

/// A quotient of the input and a row-major tensor; without elements the input
/// itself.
struct LocalResponseNormRule {
  static LogicalResult infer(LocalResponseNormOp, Layouts operands,
                             MutableLayouts results) {
    if (llvm::is_contained(operands[0].sizes, 0)) {
      results[0] = operands[0];
      return success();
    }
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
  attach<PoolRule, PoolOp>(context);
  attach<PoolBackwardRule, PoolBackwardOp>(context);
  attach<AdaptivePoolRule, AdaptivePoolOp>(context);
  attach<AdaptivePoolBackwardRule, AdaptivePoolBackwardOp>(context);
  attach<ResizeBackwardRule, ResizeBackwardOp>(context);
  attach<SuggestedRule, MaxPoolIndicesOp, MaxUnpoolOp, ResizeOp, GroupNormOp>(
      context);
  attach<DenseFirstRule, BatchNormOp, BatchNormTrainingOp>(context);
  attach<NormBackwardRule, BatchNormBackwardOp>(context);
  attach<GroupNormBackwardRule, GroupNormBackwardOp>(context);
  attach<LocalResponseNormRule, LocalResponseNormOp>(context);
  attach<RowMajorRule, InstanceNormOp, LayerNormOp, LayerNormBackwardOp,
         SoftmaxOp, LinearOp, MatmulOp, memfmt::ReduceOp>(context);
}
