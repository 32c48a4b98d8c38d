//===- Passes.h - from linalg to layout-free operations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RAISE_PASSES_H
#define MEMFMT_RAISE_PASSES_H

#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace memfmt {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "memfmt/Raise/Passes.h.inc"
} // namespace memfmt

#endif // MEMFMT_RAISE_PASSES_H
