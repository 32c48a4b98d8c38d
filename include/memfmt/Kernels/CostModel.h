//===- CostModel.h - prices of operations and conversions -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_COSTMODEL_H
#define MEMFMT_KERNELS_COSTMODEL_H

#include "memfmt/Kernels/Registry.h"

namespace memfmt {

/// The target of this name, or null after an error at `op` that lists the known
/// ones.
const kernels::TargetInfo *resolveTarget(mlir::Operation *op,
                                         llvm::StringRef name);

/// Picoseconds of one thread for `to_format`; 0 between equivalent formats. A
/// dynamic size counts as 1.
int64_t getConversionCost(mlir::RankedTensorType from,
                          mlir::RankedTensorType to,
                          const kernels::TargetInfo &target);

/// Picoseconds of one thread for an operation in these formats: that of its
/// cheapest kernel, or of its reference lowering. None when nothing carries it
/// out in these formats.
std::optional<int64_t> getOperationCost(mlir::Operation *op,
                                        const OperationFormats &formats,
                                        const kernels::TargetInfo &target);

} // namespace memfmt

#endif // MEMFMT_KERNELS_COSTMODEL_H
