//===- CompileTime.h - values known before the program runs -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_COMPILETIME_H
#define MEMFMT_ANALYSIS_COMPILETIME_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace memfmt {

/// Tells which values derive from constants alone, through operations without
/// effects. Converting one costs nothing at run time: weights are converted when
/// the program is compiled, uninitialised tensors have nothing to convert. The
/// answers are cached; changing the IR invalidates them.
class CompileTimeAnalysis {
public:
  bool isCompileTime(mlir::Value value);

private:
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_COMPILETIME_H
