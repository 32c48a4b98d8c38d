//===- Pointers.h - buffers from and to raw pointers ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_POINTERS_H
#define MEMFMT_KERNELS_POINTERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace memfmt {

/// A buffer of static type `type` whose first element lies at `pointer` (an
/// `!llvm.ptr`): the descriptor is built in place, without a call.
mlir::Value bufferFromPointer(mlir::ImplicitLocOpBuilder &builder,
                              mlir::Value pointer, mlir::MemRefType type);

/// The address (`!llvm.ptr`) of the first element of a buffer, offset applied.
mlir::Value pointerFromBuffer(mlir::ImplicitLocOpBuilder &builder,
                              mlir::Value buffer);

/// `base + bytes`, loaded as a value of type `type`.
mlir::Value loadAt(mlir::ImplicitLocOpBuilder &builder, mlir::Value base,
                   int64_t bytes, mlir::Type type);

} // namespace memfmt

#endif // MEMFMT_KERNELS_POINTERS_H
