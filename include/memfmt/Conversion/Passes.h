//===- Passes.h - from the encoded stage to LLVM ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_CONVERSION_PASSES_H
#define MEMFMT_CONVERSION_PASSES_H

#include "memfmt/IR/MemFmt.h"
#include "memfmt/Kernels/CostModel.h"

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

/// Lets one-shot bufferization handle `memfmt.kernel`.
void registerKernelBufferization(mlir::DialectRegistry &registry);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "memfmt/Conversion/Passes.h.inc"

} // namespace memfmt

#endif // MEMFMT_CONVERSION_PASSES_H
