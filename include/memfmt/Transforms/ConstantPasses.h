//===- ConstantPasses.h - programs evaluated before they run ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TRANSFORMS_CONSTANTPASSES_H
#define MEMFMT_TRANSFORMS_CONSTANTPASSES_H

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace memfmt {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "memfmt/Transforms/ConstantPasses.h.inc"
} // namespace memfmt

#endif // MEMFMT_TRANSFORMS_CONSTANTPASSES_H
