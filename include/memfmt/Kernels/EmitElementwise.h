//===- EmitElementwise.h - element-wise loops and transposes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_EMITELEMENTWISE_H
#define MEMFMT_KERNELS_EMITELEMENTWISE_H

#include "memfmt/Kernels/EmitCommon.h"
#include "memfmt/Kernels/TargetInfo.h"

namespace memfmt::kernels {

/// An input of an element-wise loop over the dimensions of the output buffer:
/// its dimension i runs with output dimension `dims[i]`, or stays at 0 for -1.
struct ElementwiseInput {
  mlir::Value memref;
  llvm::SmallVector<int64_t> dims;
};

/// Computes output elements from the elements of all inputs, on vectors or on
/// scalars.
using ElementwiseBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange elements)>;

/// Number of independent pieces of work.
int64_t getElementwiseTiles(mlir::MemRefType output,
                            llvm::ArrayRef<llvm::SmallVector<int64_t>> dims);

/// Emits the pieces lo to hi of `output[i] = body(inputs[i]...)`.
void emitElementwise(mlir::ImplicitLocOpBuilder &builder,
                     const TargetInfo &target,
                     llvm::ArrayRef<ElementwiseInput> inputs,
                     mlir::Value output, mlir::Value lo, mlir::Value hi,
                     ElementwiseBody body);

/// Number of independent pieces of work of `emitTranspose`.
int64_t getTransposeTiles(mlir::MemRefType input, mlir::MemRefType output,
                          llvm::ArrayRef<int64_t> permutation);

/// Copies `input` into `output`, whose dimension i is input dimension
/// `permutation[i]`, by transposing blocks in registers.
void emitTranspose(mlir::ImplicitLocOpBuilder &builder,
                   const TargetInfo &target, mlir::Value input,
                   mlir::Value output, llvm::ArrayRef<int64_t> permutation,
                   mlir::Value lo, mlir::Value hi);

} // namespace memfmt::kernels

#endif // MEMFMT_KERNELS_EMITELEMENTWISE_H
