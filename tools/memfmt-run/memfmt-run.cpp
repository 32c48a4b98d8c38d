//===- memfmt-run.cpp - compile a model and run it --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "../Support.h"
#include "Options.h"
#include "Session.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace memfmt::run;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options = parseOptions(argc, argv);
  mlir::DialectRegistry registry;
  memfmt::registerEverything(registry);
  mlir::MLIRContext context(registry);
  // An error is one error; the operation can be megabytes long.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return mlir::succeeded(Session(options, context, sources).run()) ? 0 : 1;
}
