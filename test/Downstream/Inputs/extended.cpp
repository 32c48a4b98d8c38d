// memfmt-opt with one more operation and one more format.

#include "Toy.h"

#include "memfmt/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  toy::ToyDialect>();
  memfmt::registerAllDialects(registry);
  memfmt::registerAllPasses();
  toy::registerModels(registry); // The one line.
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "an extended optimizer\n", registry));
}
