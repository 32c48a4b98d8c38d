//===- ModelFile.cpp - a model with its weights -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/ModelFile.h"

#include "memfmt/Runtime/TensorFile.h"
#include "memfmt/Runtime/Weights.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace memfmt::runtime;

OwningOpRef<ModuleOp> memfmt::runtime::loadModel(llvm::StringRef path,
                                                 llvm::StringRef weights,
                                                 bool allowMissing,
                                                 llvm::SourceMgr &sources,
                                                 MLIRContext &context) {
  Location file = UnknownLoc::get(&context);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    emitError(file) << "cannot read " << path << ": " << error.message();
    return nullptr;
  }
  std::unique_ptr<TensorFile> arrays;
  if (!weights.empty()) {
    auto opened = openTensorFile(weights, TensorRole::weights);
    if (!opened) {
      emitError(file) << llvm::toString(opened.takeError());
      return nullptr;
    }
    arrays = std::move(*opened);
  }
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return nullptr;
  if ((arrays || !allowMissing) && failed(bindWeights(*module, arrays.get())))
    return nullptr;
  return module;
}
