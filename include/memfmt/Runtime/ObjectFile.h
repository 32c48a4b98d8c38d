//===- ObjectFile.h - programs as object files ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_OBJECTFILE_H
#define MEMFMT_RUNTIME_OBJECTFILE_H

#include "memfmt/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace memfmt::runtime {

/// A program for a linker: the object file with code and constants, and the C
/// header that declares
///   int32_t NAME(memfmt_context *, const memfmt_tensor *inputs,
///                const memfmt_tensor *outputs);
///   const unsigned char NAME_constants[];
/// and gives the sizes of arena and constants and the types of the tensors.
struct ObjectProgram {
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string header;
};

/// Compiles the public function of `module`, which is at stage `from`, under
/// the symbol `name`, a C identifier. Errors go to the diagnostics of the
/// context.
mlir::FailureOr<ObjectProgram>
compileToObjectFile(mlir::ModuleOp module, llvm::StringRef name,
                    const PipelineOptions &options, Stage from);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_OBJECTFILE_H
