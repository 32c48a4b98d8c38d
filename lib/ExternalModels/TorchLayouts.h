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

void attachTorchComputeRules(mlir::MLIRContext *context);
void attachTorchMovementRules(mlir::MLIRContext *context);
void attachTorchElementwiseRules(mlir::MLIRContext *context);

} // namespace memfmt

#endif // MEMFMT_LIB_EXTERNALMODELS_TORCHLAYOUTS_H
