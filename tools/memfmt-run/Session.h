//===- Session.h - one invocation of memfmt-run -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TOOLS_RUN_SESSION_H
#define MEMFMT_TOOLS_RUN_SESSION_H

#include "Options.h"

#include "memfmt/Report/Report.h"
#include "memfmt/Runtime/Compare.h"
#include "memfmt/Runtime/Program.h"

#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace memfmt::run {

/// Milliseconds of repeated runs, sorted.
struct Latency {
  std::vector<double> ms;
  double getQuantile(double q) const;
};

/// From the model to the report. Every step fails with one diagnostic.
class Session {
public:
  Session(const Options &options, mlir::MLIRContext &context,
          llvm::SourceMgr &sources)
      : options(options), context(context), sources(sources) {}

  mlir::LogicalResult run();

private:
  /// A compiled program with what it runs in.
  struct Build {
    std::unique_ptr<runtime::Program> program;
    std::unique_ptr<runtime::ExecutionContext> execution;
    std::vector<runtime::HostTensor> results;
    Latency latency;
    double compileMs = 0;
  };

  mlir::LogicalResult fail(const llvm::Twine &text);
  mlir::LogicalResult fail(llvm::Error error);
  mlir::LogicalResult checkTarget();
  mlir::LogicalResult loadModel();
  mlir::LogicalResult loadExpected();
  mlir::LogicalResult loadInputs(const runtime::Program &program);
  mlir::LogicalResult makeRandomInputs(const runtime::Program &program);
  mlir::LogicalResult build(Build &build, mlir::ModuleOp module, bool baseline);
  mlir::LogicalResult runPrograms();
  mlir::LogicalResult compare(const Build &build, llvm::StringRef name);
  mlir::LogicalResult writeResults();
  mlir::LogicalResult writeReport();
  llvm::json::Array describeOperations();
  void progress(const llvm::Twine &text);
  void printSummary();
  void printProfile();

  const Options &options;
  mlir::MLIRContext &context;
  llvm::SourceMgr &sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<runtime::HostTensor> inputs, expected;
  Build chosen, contiguous;
  AssignmentRecord assignment;
  double peakGflops = 0;
  std::optional<runtime::Comparison> worst;
};

} // namespace memfmt::run

#endif // MEMFMT_TOOLS_RUN_SESSION_H
