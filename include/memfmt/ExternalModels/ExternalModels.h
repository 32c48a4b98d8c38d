//===- ExternalModels.h - what upstream operations answer -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_EXTERNALMODELS_EXTERNALMODELS_H
#define MEMFMT_EXTERNALMODELS_EXTERNALMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace memfmt {

/// arith: constants in formats.
void registerArithModels(mlir::DialectRegistry &registry);
/// linalg: formats from indexing maps, physical forms with permuted maps.
void registerLinalgModels(mlir::DialectRegistry &registry);
/// tensor: empty, concat, pad, slices, dim, cast.
void registerTensorModels(mlir::DialectRegistry &registry);
/// memfmt: reference lowerings of its own operations to linalg.
void registerMemFmtModels(mlir::DialectRegistry &registry);

inline void registerExternalModels(mlir::DialectRegistry &registry) {
  registerArithModels(registry);
  registerLinalgModels(registry);
  registerTensorModels(registry);
  registerMemFmtModels(registry);
}

} // namespace memfmt

#endif // MEMFMT_EXTERNALMODELS_EXTERNALMODELS_H
