//===- ScalarBlocks.h - blocks of scalars in memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The form that `ScalarFunction` computes in, and its way from and to memory.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_SCALARBLOCKS_H
#define MEMFMT_LIB_TRANSFORMS_SCALARBLOCKS_H

#include "mlir/IR/BuiltinTypes.h"

namespace memfmt {

/// Element types that scalars compute in: f16, bf16, f32, f64, index, and
/// integers of 1, 8, 16, 32 and 64 bits.
bool isComputable(mlir::Type type);

/// f16 and bf16: kept as `float`, rounded after each operation.
bool isHalf(mlir::Type type);

/// Width of an integer; 64 for index.
unsigned getWidth(mlir::Type type);

/// Reads `count` elements that lie `stride` elements apart into a block.
void loadScalars(mlir::Type type, const char *source, int64_t stride,
                 int64_t count, void *block);

/// Writes a block to elements that lie `stride` elements apart.
void storeScalars(mlir::Type type, const void *block, int64_t count,
                  char *target, int64_t stride);

/// Makes results values of `type`: floats of 16 bits are rounded to even,
/// integers wrap around and are sign-extended.
void wrapScalars(mlir::Type type, void *block, int64_t count);

/// Rounds to f16 or bf16 directly, without a first rounding to `float`.
float roundToHalf(mlir::Type type, double value);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_SCALARBLOCKS_H
