//===- ResultArguments.h - results written to the caller's memory *- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_CONVERSION_RESULTARGUMENTS_H
#define MEMFMT_LIB_CONVERSION_RESULTARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memfmt {

/// Turns the buffers that `function` returns into arguments at the end. A
/// buffer that the function allocates for one result becomes the argument;
/// whatever else is returned (an input, a constant, one buffer twice) is
/// copied.
mlir::LogicalResult turnResultsIntoArguments(mlir::func::FuncOp function);

} // namespace memfmt

#endif // MEMFMT_LIB_CONVERSION_RESULTARGUMENTS_H
