//===- Pipelines.h - passes in the order that works -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_PIPELINES_PIPELINES_H
#define MEMFMT_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"

#include <optional>

namespace mlir {
class OpPassManager;
}

namespace memfmt {

/// The states of a program, in order (docs/overview.md).
enum class Stage {
  Plain,    ///< linalg, tensor, arith; every tensor row-major.
  Semantic, ///< Layout-free operations, tails fused.
  Encoded,  ///< Formats assigned, the certificate checked.
  Kernels,  ///< Kernels on buffers, one arena.
  LLVM,     ///< The LLVM dialect with a C entry.
  Physical, ///< From Encoded: upstream operations on physical shapes.
};

/// The stage of this name, as the tools spell it.
std::optional<Stage> parseStage(llvm::StringRef name);

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("machine to compile for: host, avx512, avx2, sse or neon"),
      llvm::cl::init("host")};
  Option<bool> baseline{
      *this, "baseline",
      llvm::cl::desc("leave every format contiguous that is free"),
      llvm::cl::init(false)};
  Option<std::string> to{
      *this, "to",
      llvm::cl::desc(
          "last stage: semantic, encoded, physical, kernels or llvm"),
      llvm::cl::init("llvm")};
  Option<bool> release{
      *this, "release-constants",
      llvm::cl::desc(
          "free weights that are no longer read; false while another "
          "copy of the module reads them"),
      llvm::cl::init(true)};
};

/// Adds the passes from stage `from` (exclusive) to stage `to`; Physical is
/// reached from Encoded. Verifiers run between them as the pass manager says.
void buildPipeline(mlir::OpPassManager &manager, const PipelineOptions &options,
                   Stage from, Stage to);

/// Runs those passes on `module`.
mlir::LogicalResult runPipeline(mlir::ModuleOp module,
                                const PipelineOptions &options, Stage from,
                                Stage to);

/// Registers `--memfmt-pipeline="target=... to=..."`.
void registerPipelines();

} // namespace memfmt

#endif // MEMFMT_PIPELINES_PIPELINES_H
