//===- MemFmtModels.h - physical forms of memfmt operations -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_EXTERNALMODELS_MEMFMTMODELS_H
#define MEMFMT_LIB_EXTERNALMODELS_MEMFMTMODELS_H

#include "PhysicalBuilder.h"

namespace memfmt {

void attachFormatModels(mlir::MLIRContext *context);
void attachWindowModels(mlir::MLIRContext *context);
void attachDenseModels(mlir::MLIRContext *context);
void attachElementwiseElements(mlir::MLIRContext *context);
void attachMovementElements(mlir::MLIRContext *context);
void attachNormElements(mlir::MLIRContext *context);
void attachReduceElements(mlir::MLIRContext *context);
void attachResizeElements(mlir::MLIRContext *context);
void attachWindowElements(mlir::MLIRContext *context);

/// The physical `source` of type `from` in the format of `to`: a transpose, a
/// pack or unpack, or a reshape where no byte moves. Errors are on `op`.
mlir::FailureOr<mlir::Value>
convertPhysical(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *op,
                mlir::Value source, mlir::RankedTensorType from,
                mlir::RankedTensorType to);

/// A tensor of the physical form of `encoded` (static) that holds zero, or the
/// bias along axis 1.
mlir::Value createInit(mlir::ImplicitLocOpBuilder &builder,
                       mlir::RankedTensorType encoded,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Value bias);

} // namespace memfmt

#endif // MEMFMT_LIB_EXTERNALMODELS_MEMFMTMODELS_H
