//===- Passes.h - from the encoded stage to LLVM ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_CONVERSION_PASSES_H
#define MEMFMT_CONVERSION_PASSES_H

#include "memfmt/IR/MemFmt.h"
#include "memfmt/Kernels/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace memfmt {

/// The target of this name, or null after an error at `op` that lists the known
/// ones.
const kernels::TargetInfo *resolveTarget(mlir::Operation *op,
                                         llvm::StringRef name);

/// Lets one-shot bufferization handle `memfmt.kernel`.
void registerKernelBufferization(mlir::DialectRegistry &registry);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "memfmt/Conversion/Passes.h.inc"

} // namespace memfmt

#endif // MEMFMT_CONVERSION_PASSES_H
