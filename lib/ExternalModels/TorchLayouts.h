//===- TorchLayouts.h - shared by rules of eager PyTorch --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_EXTERNALMODELS_TORCHLAYOUTS_H
#define MEMFMT_LIB_EXTERNALMODELS_TORCHLAYOUTS_H

#include "memfmt/Analysis/TorchStrides.h"
#include "memfmt/IR/MemFmt.h"

namespace memfmt {

using Layouts = llvm::ArrayRef<StridedLayout>;
using MutableLayouts = llvm::MutableArrayRef<StridedLayout>;

/// A rule without errors: `RuleT::infer(OpT, operands, results)`.
template <typename RuleT, typename OpT>
struct TorchRule
    : TorchLayoutOpInterface::ExternalModel<TorchRule<RuleT, OpT>, OpT> {
  llvm::LogicalResult inferTorchLayouts(mlir::Operation *op, Layouts operands,
                                        MutableLayouts results) const {
    return RuleT::infer(mlir::cast<OpT>(op), operands, results);
  }
};

/// Gives a result new memory in this format.
inline void allocate(StridedLayout &result, MemoryFormat format) {
  result.strides = getNewStrides(result.sizes, format);
  result.offset = 0;
}

/// The channels-last format of PyTorch for this rank; none for others.
inline MemoryFormat getLastFormat(int64_t rank) {
  return rank == 4   ? MemoryFormat::ChannelsLast
         : rank == 5 ? MemoryFormat::ChannelsLast3d
                     : MemoryFormat::Contiguous;
}

/// A one-dimensional operation runs as a two-dimensional one over height 1:
/// (N, C, L) seen as (N, C, 1, L).
inline StridedLayout addHeight(const StridedLayout &layout) {
  StridedLayout result = layout;
  result.sizes.insert(result.sizes.begin() + 2, 1);
  result.strides.insert(result.strides.begin() + 2,
                        layout.sizes[2] * layout.strides[2]);
  return result;
}

/// Gives a result (N, C, L) new memory in a format of its form with height.
inline void allocateWithHeight(StridedLayout &result, MemoryFormat format) {
  llvm::SmallVector<int64_t> sizes = result.sizes;
  sizes.insert(sizes.begin() + 2, 1);
  result.strides = getNewStrides(sizes, format);
  result.strides.erase(result.strides.begin() + 2);
  result.offset = 0;
}

/// Results are row-major.
struct RowMajorRule {
  template <typename OpT>
  static llvm::LogicalResult infer(OpT, Layouts, MutableLayouts results) {
    for (StridedLayout &result : results)
      allocate(result, MemoryFormat::Contiguous);
    return mlir::success();
  }
};

/// Results have the format that operand 0 suggests.
struct SuggestedRule {
  template <typename OpT>
  static llvm::LogicalResult infer(OpT, Layouts operands,
                                   MutableLayouts results) {
    for (StridedLayout &result : results)
      allocate(result, suggestFormat(operands[0]));
    return mlir::success();
  }
};

void attachTorchConvRules(mlir::MLIRContext *context);
void attachTorchComputeRules(mlir::MLIRContext *context);
void attachTorchMovementRules(mlir::MLIRContext *context);
void attachTorchElementwiseRules(mlir::MLIRContext *context);

} // namespace memfmt

#endif // MEMFMT_LIB_EXTERNALMODELS_TORCHLAYOUTS_H
