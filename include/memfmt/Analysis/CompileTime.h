//===- CompileTime.h - values known before the program runs -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_COMPILETIME_H
#define MEMFMT_ANALYSIS_COMPILETIME_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace memfmt {

/// Tells which values derive from constants alone, through operations without
/// effects. Converting one costs nothing at run time: weights are converted
/// when the program is compiled, uninitialised tensors have nothing to convert.
/// The answers are cached; changing the IR invalidates them.
class CompileTimeAnalysis {
public:
  bool isCompileTime(mlir::Value value);

private:
  llvm::DenseMap<mlir::Operation *, bool> known;
};

/// What is computed from constants and read by what is not: weights in the form
/// that kernels want, and the like.
struct PreparedConstants {
  int64_t count = 0;
  int64_t bytes = 0;
};

/// Counts the results of operations on constants that other operations read.
/// Constants as they stand in the program do not count.
PreparedConstants countPreparedConstants(mlir::ModuleOp module);

/// Leaves the count in a module attribute {count, bytes}.
void recordPreparedConstants(mlir::ModuleOp module, llvm::StringRef attribute);

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_COMPILETIME_H
