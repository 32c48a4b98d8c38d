//===- Program.h - a compiled function that can be called -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_PROGRAM_H
#define MEMFMT_RUNTIME_PROGRAM_H

#include "memfmt/Pipelines/Pipelines.h"
#include "memfmt/Runtime/ExecutionContext.h"
#include "memfmt/Runtime/Jit.h"
#include "memfmt/Runtime/Signature.h"

#include "mlir/IR/BuiltinOps.h"

namespace memfmt::runtime {

/// One kernel that a program launches.
struct LaunchInfo {
  std::string operation, kernel, format;
  int64_t number = 0;
  int64_t predictedPs = 0;
};

/// Counts and bytes of constants that were computed from others.
struct ConstantFigures {
  int64_t count = 0, bytes = 0;
};

/// Machine code of one function of a module, with its constants.
class Program {
public:
  /// Compiles the public function of `module`, which is at stage `from` and
  /// ends as LLVM dialect. Errors go to the diagnostics of the context.
  static mlir::FailureOr<std::unique_ptr<Program>>
  compile(mlir::ModuleOp module, const PipelineOptions &options, Stage from);
  ~Program();

  llvm::ArrayRef<TensorSpec> getInputs() const { return signature.inputs; }
  llvm::ArrayRef<TensorSpec> getOutputs() const { return signature.outputs; }
  /// By launch id.
  llvm::ArrayRef<LaunchInfo> getLaunches() const { return launches; }
  int64_t getArenaBytes() const { return arenaBytes; }
  int64_t getArenaLowerBound() const { return arenaLowerBound; }
  int64_t getConstantBytes() const { return constantBytes; }
  /// Constants computed while compiling, and those left to every run.
  ConstantFigures getFolded() const { return folded; }
  ConstantFigures getUnfolded() const { return unfolded; }

  llvm::Expected<std::unique_ptr<ExecutionContext>>
  createContext(unsigned numThreads) const;

  /// Fails unless the arrays have the types and shapes of the inputs.
  llvm::Error checkInputs(llvm::ArrayRef<HostTensor> arrays) const;

  /// Calls the program on arrays in the declared formats (what `arrange`
  /// makes); checks sizes and strides.
  llvm::Error call(ExecutionContext &context,
                   llvm::ArrayRef<memfmt_tensor> inputs,
                   llvm::ArrayRef<memfmt_tensor> outputs) const;

  /// Calls the program on row-major arrays; results are row-major.
  llvm::Expected<std::vector<HostTensor>>
  run(ExecutionContext &context, llvm::ArrayRef<HostTensor> arrays) const;

private:
  Program() = default;
  void readLaunches(mlir::ModuleOp module);
  mlir::LogicalResult placeConstants(mlir::ModuleOp module);
  mlir::LogicalResult load(mlir::ModuleOp module,
                           const PipelineOptions &options);

  Signature signature;
  std::vector<LaunchInfo> launches;
  int64_t arenaBytes = 0, arenaLowerBound = 0, constantBytes = 0;
  ConstantFigures folded, unfolded;
  char *constants = nullptr;
  std::unique_ptr<LoadedObject> object;
  memfmt_entry_fn entry = nullptr;
};

/// Writes the constants of a module at stage Kernels or LLVM to their offsets
/// and removes them from the module.
mlir::LogicalResult copyConstants(mlir::ModuleOp module,
                                  llvm::MutableArrayRef<char> memory);

/// The array with the bytes in the order of the strides of `spec`, or back.
llvm::Expected<HostTensor> arrange(const HostTensor &array,
                                   const TensorSpec &spec, bool toDeclared);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_PROGRAM_H
