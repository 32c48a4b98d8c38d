//===- ScalarOps.h - building blocks of scalar evaluators -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_SCALAROPS_H
#define MEMFMT_LIB_TRANSFORMS_SCALAROPS_H

#include "ScalarBlocks.h"
#include "memfmt/Transforms/ConstantEvaluator.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

#include <utility>

namespace memfmt {

inline mlir::Type getOperandElementType(mlir::Operation *op, unsigned index) {
  return mlir::getElementTypeOrSelf(op->getOperand(index).getType());
}

inline mlir::Type getResultElementType(mlir::Operation *op) {
  return mlir::getElementTypeOrSelf(op->getResult(0).getType());
}

namespace detail {
template <typename Out, typename In, typename Fn, size_t... I>
ScalarFunction apply(mlir::Type type, Fn fn, std::index_sequence<I...>) {
  return
      [=](llvm::ArrayRef<const void *> operands, void *result, int64_t count) {
        const In *in[] = {static_cast<const In *>(operands[I])...};
        auto *out = static_cast<Out *>(result);
        for (int64_t i = 0; i < count; ++i)
          out[i] = fn(in[I][i]...);
        wrapScalars(type, result, count);
        return true;
      };
}
} // namespace detail

/// Applies `fn` to each element: `Arity` values of `In`, a result of `Out` that
/// is then made a value of `type`.
template <unsigned Arity, typename Out, typename In, typename Fn>
ScalarFunction applyScalars(mlir::Type type, Fn fn) {
  return detail::apply<Out, In>(type, fn, std::make_index_sequence<Arity>());
}

/// A scalar operation on integers or index.
inline bool isInteger(mlir::Type type) {
  return isComputable(type) && type.isIntOrIndex();
}

/// A scalar operation on floats.
inline bool isFloat(mlir::Type type) {
  return isComputable(type) && !type.isIntOrIndex();
}

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_SCALAROPS_H
