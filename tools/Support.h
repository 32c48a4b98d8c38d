//===- Support.h - what the tools share -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TOOLS_SUPPORT_H
#define MEMFMT_TOOLS_SUPPORT_H

#include "memfmt/InitAll.h"
#include "memfmt/Runtime/Jit.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/CommandLine.h"

namespace memfmt {

/// The shared LLVM library registers command-line options of its own; those
/// with the names of ours give way.
inline void takeOverOptions(llvm::ArrayRef<llvm::StringRef> names) {
  auto &registered = llvm::cl::getRegisteredOptions();
  for (llvm::StringRef name : names)
    if (llvm::cl::Option *option = registered.lookup(name))
      option->removeArgument();
}

/// Everything that a model may contain and a compiler needs.
inline void registerEverything(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  memfmt::registerAllDialects(registry);
  runtime::registerTranslations(registry);
}

} // namespace memfmt

#endif // MEMFMT_TOOLS_SUPPORT_H
