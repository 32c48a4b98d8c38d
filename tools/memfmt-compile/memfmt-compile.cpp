//===- memfmt-compile.cpp - models to IR and object files -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "../Support.h"

#include "memfmt/Kernels/TargetInfo.h"
#include "memfmt/Report/Report.h"
#include "memfmt/Runtime/ModelFile.h"
#include "memfmt/Runtime/ObjectFile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace memfmt;

namespace {
struct Options {
  std::string model, output, weights, target, to;
  bool baseline = false;
};
} // namespace

static int fail(const llvm::Twine &text) {
  llvm::errs() << "memfmt-compile: error: " << text << "\n";
  return 1;
}

static Options parseOptions(int argc, char **argv) {
  takeOverOptions({"o", "weights", "target", "to", "baseline"});
  static cl::OptionCategory category("memfmt-compile options");
  static cl::opt<std::string> model(cl::Positional, cl::desc("MODEL.mlir"),
                                    cl::cat(category));
  static cl::opt<std::string> output(
      "o", cl::desc("output: .mlir, .o or .so (.o and .so with a C header)"),
      cl::value_desc("file"), cl::cat(category));
  static cl::opt<std::string> weights(
      "weights",
      cl::desc("data of the dense_resource keys: .npz, .safetensors "
               "or a manifest with seeds (.json)"),
      cl::cat(category));
  static cl::opt<std::string> target(
      "target", cl::desc("host, avx512, avx2, sse or neon"), cl::init("host"),
      cl::cat(category));
  static cl::opt<std::string> to(
      "to",
      cl::desc("stage of .mlir output: semantic, encoded, physical, kernels or "
               "llvm"),
      cl::init("encoded"), cl::cat(category));
  static cl::opt<bool> baseline("baseline", cl::desc("contiguous formats only"),
                                cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "compiles a model\n");
  return {model, output, weights, target, to, baseline};
}

/// Letters, digits and underscores of the file name: the name of the program.
static std::string getProgramName(llvm::StringRef output) {
  std::string name;
  for (char c : llvm::sys::path::stem(output))
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "memfmt_" + name;
  return name;
}

static int writeIR(ModuleOp module, const Options &options,
                   const PipelineOptions &pipeline, Stage to) {
  if (failed(runPipeline(module, pipeline, Stage::Plain, to)))
    return 1;
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << "\n";
  if (llvm::Error error = writeFile(options.output, text))
    return fail(llvm::toString(std::move(error)));
  return 0;
}

/// Links an object file with the C compiler of the system.
static int linkShared(llvm::StringRef object, llvm::StringRef output) {
  for (llvm::StringRef name : {"cc", "clang-22", "gcc"}) {
    auto compiler = llvm::sys::findProgramByName(name);
    if (!compiler)
      continue;
    std::string temporary = (output + ".tmp").str(), message;
    int status = llvm::sys::ExecuteAndWait(
        *compiler, {name, "-shared", "-o", temporary, object, "-lm"},
        std::nullopt, {}, 0, 0, &message);
    if (status != 0) {
      llvm::sys::fs::remove(temporary);
      return fail("linking with " + *compiler + " failed: " + message);
    }
    if (std::error_code error = llvm::sys::fs::rename(temporary, output))
      return fail("cannot write " + output + ": " + error.message());
    return 0;
  }
  return fail("a .so needs a C compiler (cc) to link; write a .o instead");
}

static int writeObject(ModuleOp module, const Options &options,
                       const PipelineOptions &pipeline) {
  llvm::StringRef output = options.output;
  auto program = runtime::compileToObjectFile(module, getProgramName(output),
                                              pipeline, Stage::Plain);
  if (failed(program))
    return 1;
  bool isShared = output.ends_with(".so");
  std::string object = isShared ? (output + ".o").str() : output.str();
  if (llvm::Error error = writeFile(object, program->object->getBuffer()))
    return fail(llvm::toString(std::move(error)));
  if (isShared) {
    int status = linkShared(object, output);
    llvm::sys::fs::remove(object);
    if (status)
      return status;
  }
  llvm::SmallString<128> header(output);
  llvm::sys::path::replace_extension(header, ".h");
  if (llvm::Error error = writeFile(header, program->header)) {
    llvm::sys::fs::remove(output);
    return fail(llvm::toString(std::move(error)));
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options = parseOptions(argc, argv);
  llvm::StringRef output = options.output;
  if (options.model.empty() || output.empty())
    return fail("expects MODEL -o OUTPUT; see --help");
  std::optional<Stage> to = parseStage(options.to);
  if (!to)
    return fail("unknown stage \"" + options.to +
                "\", expects semantic, encoded, physical, kernels or llvm");
  bool isIR = output.ends_with(".mlir") || output == "-";
  if (!isIR && !output.ends_with(".o") && !output.ends_with(".so"))
    return fail("-o expects a name that ends in .mlir, .o or .so, found " +
                output);
  if (!kernels::lookupTarget(options.target))
    return fail("unknown target \"" + options.target +
                "\", expects host, avx512, avx2, sse or neon");

  DialectRegistry registry;
  registerEverything(registry);
  MLIRContext context(registry);
  // An error is one error; the operation can be megabytes long.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  // IR may go on without data: another tool can bind it.
  OwningOpRef<ModuleOp> module = runtime::loadModel(
      options.model, options.weights, /*allowMissing=*/isIR, sources, context);
  if (!module)
    return 1;
  PipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.baseline = options.baseline;
  return isIR ? writeIR(*module, options, pipeline, *to)
              : writeObject(*module, options, pipeline);
}
