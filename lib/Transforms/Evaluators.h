//===- Evaluators.h - families of constant evaluators -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_EVALUATORS_H
#define MEMFMT_LIB_TRANSFORMS_EVALUATORS_H

#include "memfmt/Transforms/ConstantEvaluator.h"

namespace memfmt {

/// What an evaluator returns.
using ConstantResults = mlir::FailureOr<llvm::SmallVector<ConstantTensor, 1>>;
using ConstantOperands = llvm::ArrayRef<const ConstantTensor *>;

/// Operations that move elements: views, transposes, packing, padding.
void addMovementEvaluators(ConstantEvaluators &evaluators);

/// Element-wise operations of `linalg`.
void addLinalgEvaluators(ConstantEvaluators &evaluators);

/// Scalar operations on floats (`arith`, `math`).
void addFloatScalars(ConstantEvaluators &evaluators);

/// Scalar operations on integers and index (`arith`, `math`), comparisons.
void addIntegerScalars(ConstantEvaluators &evaluators);

/// Conversions between scalars (`arith`), and `arith.select`.
void addCastScalars(ConstantEvaluators &evaluators);

/// Evaluates a scalar operation on scalars or, element by element, on tensors.
ConstantResults evaluateElementwise(const ConstantEvaluators &evaluators,
                                    mlir::Operation *op,
                                    ConstantOperands operands);

/// Moves the bytes of a tensor under the type of the only result of `op`.
ConstantResults evaluateRetype(mlir::Operation *op, ConstantOperands operands);

/// A list of one tensor.
llvm::SmallVector<ConstantTensor, 1> asResults(ConstantTensor &&tensor);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_EVALUATORS_H
