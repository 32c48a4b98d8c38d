//===- FormatPasses.h - formats inferred, chosen, checked -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TRANSFORMS_FORMATPASSES_H
#define MEMFMT_TRANSFORMS_FORMATPASSES_H

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace memfmt {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

#endif // MEMFMT_TRANSFORMS_FORMATPASSES_H
