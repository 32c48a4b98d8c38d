//===- InitAll.cpp - everything of memfmt in one call -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/InitAll.h"

#include "memfmt/Conversion/Passes.h"
#include "memfmt/ExternalModels/ExternalModels.h"
#include "memfmt/Kernels/Registry.h"
#include "memfmt/Pipelines/Pipelines.h"
#include "memfmt/Raise/Passes.h"
#include "memfmt/Transforms/ConstantEvaluator.h"
#include "memfmt/Transforms/ConstantPasses.h"
#include "memfmt/Transforms/FormatPasses.h"

void memfmt::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<MemFmtDialect>();
  registerExternalModels(registry);
  registerKernels(registry);
  registerConstantEvaluators(registry);
  registerKernelBufferization(registry);
}

void memfmt::registerAllPasses() {
  registerRaisePasses();
  registerFormatPasses();
  registerConstantPasses();
  registerConversionPasses();
  registerPipelines();
}
