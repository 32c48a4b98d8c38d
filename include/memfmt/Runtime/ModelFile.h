//===- ModelFile.h - a model with its weights -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_MODELFILE_H
#define MEMFMT_RUNTIME_MODELFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace memfmt::runtime {

/// Reads a model (`-` is standard input) as MLIR text or bytecode and binds its
/// weights; with an empty `weights` every resource must have data unless
/// `allowMissing`. Null after one diagnostic in `context`; texts are added to
/// `sources`, so that diagnostics can show them.
mlir::OwningOpRef<mlir::ModuleOp>
loadModel(llvm::StringRef path, llvm::StringRef weights, bool allowMissing,
          llvm::SourceMgr &sources, mlir::MLIRContext &context);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_MODELFILE_H
