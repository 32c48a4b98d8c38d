//===- Weights.h - data for the resources of a module -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_WEIGHTS_H
#define MEMFMT_RUNTIME_WEIGHTS_H

#include "memfmt/Runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace memfmt::runtime {

class TensorFile;

/// The element type in host memory; none where there is no such type. Signless
/// integers are read as signed.
std::optional<ElementType> getHostType(mlir::Type type);

/// Gives every `dense_resource` of `module` the data of the array with its key.
/// Resources that have data already keep it unless the file has their key;
/// `file` may be null. The errors stand at the operation that reads the
/// resource: a weight that is missing, or whose shape, type or size does not
/// fit.
mlir::LogicalResult bindWeights(mlir::ModuleOp module, const TensorFile *file);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_WEIGHTS_H
