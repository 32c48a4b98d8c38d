// A compiler of somebody else: parses a program, lets memfmt assign formats,
// and prints how many conversions are left.

#include "memfmt/IR/MemFmt.h"
#include "memfmt/InitAll.h"
#include "memfmt/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::tensor::TensorDialect>();
  memfmt::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  mlir::PassManager manager(&context);
  memfmt::PipelineOptions options;
  options.target = "avx2";
  memfmt::buildPipeline(manager, options, memfmt::Stage::Plain,
                        memfmt::Stage::Encoded);
  if (failed(manager.run(*module)))
    return 1;
  int conversions = 0;
  module->walk([&](memfmt::ToFormatOp) { ++conversions; });
  llvm::outs() << conversions << " conversions\n";
  return 0;
}
