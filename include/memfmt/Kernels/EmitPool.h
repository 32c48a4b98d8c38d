//===- EmitPool.h - vector code for pooling ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_EMITPOOL_H
#define MEMFMT_KERNELS_EMITPOOL_H

#include "memfmt/Kernels/EmitConv.h"

namespace memfmt::kernels {

/// What a window computes. The maximum propagates NaN and reads the padding as
/// minus infinity.
enum class PoolReduction { Max, Sum, Average, AverageExcludingPad };

/// Number of independent pieces of work: rows of the output, for every channel
/// where lanes run along the width.
int64_t getPoolTiles(const ConvShape &shape, bool channelsLast);

/// Emits the pieces lo to hi of a pool; `shape` has k = c and groups = 1. Input
/// and output are both channels-last or both contiguous.
void emitPool(mlir::ImplicitLocOpBuilder &builder, const ConvShape &shape,
              PoolReduction reduction, const TargetInfo &target,
              const TensorRef &input, const TensorRef &output, mlir::Value lo,
              mlir::Value hi, Epilogue epilogue);

} // namespace memfmt::kernels

#endif // MEMFMT_KERNELS_EMITPOOL_H
