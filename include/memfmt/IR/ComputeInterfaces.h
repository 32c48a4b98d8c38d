//===- ComputeInterfaces.h - what operations say of formats -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_COMPUTEINTERFACES_H
#define MEMFMT_IR_COMPUTEINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace memfmt {

/// A group of operands and results of one operation that share one format.
struct FormatPort {
  /// Indices into the operands of the operation.
  llvm::SmallVector<unsigned, 4> operands;
  /// Indices into its results.
  llvm::SmallVector<unsigned, 2> results;
};

} // namespace memfmt

#include "memfmt/IR/ComputeInterfaces.h.inc"

#endif // MEMFMT_IR_COMPUTEINTERFACES_H
