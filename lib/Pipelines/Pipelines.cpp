//===- Pipelines.cpp - passes in the order that works -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Pipelines/Pipelines.h"

#include "memfmt/Conversion/LowerToLLVM.h"
#include "memfmt/Conversion/Passes.h"
#include "memfmt/Raise/Passes.h"
#include "memfmt/Transforms/ConstantPasses.h"
#include "memfmt/Transforms/FormatPasses.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace memfmt;

std::optional<Stage> memfmt::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("semantic", Stage::Semantic)
      .Case("encoded", Stage::Encoded)
      .Case("physical", Stage::Physical)
      .Case("kernels", Stage::Kernels)
      .Case("llvm", Stage::LLVM)
      .Default(std::nullopt);
}

static void addFoldConstants(OpPassManager &manager,
                             const PipelineOptions &options) {
  FoldConstantsOptions fold;
  fold.release = options.release;
  manager.addPass(createFoldConstants(fold));
}

/// Batch norms fold first: they need convolutions whose tails are not fused
/// yet.
static void addSemantic(OpPassManager &manager,
                        const PipelineOptions &options) {
  // One function is one problem: what it calls becomes part of it.
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createRaiseTosa());
  manager.addPass(createRaise());
  manager.addPass(createFoldNorms());
  addFoldConstants(manager, options);
  manager.addPass(createFuse());
  manager.addPass(createCSEPass());
}

static void addEncoded(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(createPropagateFormats());
  AssignFormatsOptions assign;
  assign.target = options.target;
  assign.baseline = options.baseline;
  manager.addPass(createAssignFormats(assign));
  if (options.baseline)
    return;
  VerifyAssignmentOptions verify;
  verify.target = options.target;
  manager.addPass(createVerifyAssignment(verify));
}

static void addKernels(OpPassManager &manager, const PipelineOptions &options) {
  SelectKernelsOptions select;
  select.target = options.target;
  manager.addPass(createSelectKernels(select));
  addFoldConstants(manager, options);
  manager.addPass(createCSEPass());
  manager.addPass(createBufferizeKernels());
  manager.addPass(createPlanMemory());
}

static void addLLVM(OpPassManager &manager, const PipelineOptions &options) {
  OutlineKernelsOptions outline;
  outline.target = options.target;
  manager.addPass(createOutlineKernels(outline));
  manager.addPass(createGenerateEntry());
  buildLowerToLLVMPipeline(manager);
}

void memfmt::buildPipeline(OpPassManager &manager,
                           const PipelineOptions &options, Stage from,
                           Stage to) {
  auto passes = [&](Stage stage) { return from < stage && stage <= to; };
  if (passes(Stage::Semantic))
    addSemantic(manager, options);
  if (passes(Stage::Encoded))
    addEncoded(manager, options);
  if (to == Stage::Physical) {
    manager.addPass(createMaterialize());
    addFoldConstants(manager, options);
    manager.addPass(createCSEPass());
    return;
  }
  if (passes(Stage::Kernels))
    addKernels(manager, options);
  if (passes(Stage::LLVM))
    addLLVM(manager, options);
}

LogicalResult memfmt::runPipeline(ModuleOp module,
                                  const PipelineOptions &options, Stage from,
                                  Stage to) {
  PassManager manager(module.getContext());
  buildPipeline(manager, options, from, to);
  return manager.run(module);
}

void memfmt::registerPipelines() {
  static PassPipelineRegistration<PipelineOptions> registration(
      "memfmt-pipeline", "from linalg on tensors to the stage given by `to`",
      [](OpPassManager &manager, const PipelineOptions &options) {
        std::optional<Stage> to = parseStage(options.to);
        if (!to) {
          llvm::errs() << "error: unknown stage \"" << options.to
                       << "\", expects semantic, encoded, physical, kernels or "
                          "llvm\n";
          exit(1);
        }
        buildPipeline(manager, options, Stage::Plain, *to);
      });
}
