//===- AssignmentCheck.h - is an assignment what it claims ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_ASSIGNMENTCHECK_H
#define MEMFMT_LIB_TRANSFORMS_ASSIGNMENTCHECK_H

#include "memfmt/Kernels/CostModel.h"

#include "mlir/IR/BuiltinOps.h"

namespace memfmt {

/// Module attributes that an assignment leaves.
inline constexpr llvm::StringLiteral kCertificateAttr = "memfmt.certificate";
inline constexpr llvm::StringLiteral kAssignmentAttr = "memfmt.assignment";

/// Succeeds if the certificate in the module proves that its formats are of
/// least cost on `target`; else an error says where not.
mlir::LogicalResult verifyAssignment(mlir::ModuleOp module,
                                     const kernels::TargetInfo &target);

/// The same without a diagnostic.
bool isAssigned(mlir::ModuleOp module, const kernels::TargetInfo &target);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_ASSIGNMENTCHECK_H
