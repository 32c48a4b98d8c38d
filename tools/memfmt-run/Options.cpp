//===- Options.cpp - the command line of memfmt-run -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "../Support.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace cl = llvm::cl;
using namespace memfmt::run;

[[noreturn]] static void fail(llvm::StringRef text) {
  llvm::errs() << "memfmt-run: error: " << text << "\n";
  exit(1);
}

/// A tolerance: a finite number, not negative.
static double parseTolerance(llvm::StringRef name, llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value) || !std::isfinite(value) || value < 0)
    fail(("--" + name + " expects a number of at least 0, found \"" + text +
          "\"")
             .str());
  return value;
}

Options memfmt::run::parseOptions(int argc, char **argv) {
  takeOverOptions({"weights", "input", "expect", "rtol", "atol", "output",
                   "report", "target", "threads", "repeat", "random-inputs",
                   "seed", "baseline", "profile"});
  static cl::OptionCategory category("memfmt-run options");
  static cl::opt<std::string> model(cl::Positional, cl::desc("MODEL.mlir"),
                                    cl::cat(category));
  static cl::opt<std::string> weights(
      "weights",
      cl::desc("data of the dense_resource keys: .npz, .safetensors "
               "or a manifest with seeds (.json)"),
      cl::cat(category));
  static cl::list<std::string> inputs(
      "input",
      cl::desc("arguments in order: .npy, .npz, .safetensors or a "
               "manifest (.json); repeatable"),
      cl::cat(category));
  static cl::list<std::string> expected(
      "expect", cl::desc("expected results in order: .npy or .npz; repeatable"),
      cl::cat(category));
  static cl::opt<std::string> rtol("rtol",
                                   cl::desc("relative tolerance of --expect"),
                                   cl::init("1e-5"), cl::cat(category));
  static cl::opt<std::string> atol("atol",
                                   cl::desc("absolute tolerance of --expect"),
                                   cl::init("1e-6"), cl::cat(category));
  static cl::opt<std::string> output(
      "output", cl::desc("write the results: .npy (one result) or .npz"),
      cl::cat(category));
  static cl::opt<std::string> report(
      "report", cl::desc("write a report: .json"), cl::cat(category));
  static cl::opt<std::string> target(
      "target", cl::desc("host, avx512, avx2, sse or neon"), cl::init("host"),
      cl::cat(category));
  static cl::opt<unsigned> threads("threads", cl::desc("number of threads"),
                                   cl::init(1), cl::cat(category));
  static cl::opt<unsigned> repeat("repeat",
                                  cl::desc("number of runs that are timed"),
                                  cl::init(1), cl::cat(category));
  static cl::opt<bool> randomInputs(
      "random-inputs", cl::desc("inputs from a generator"), cl::cat(category));
  static cl::opt<uint64_t> seed("seed", cl::desc("seed of --random-inputs"),
                                cl::init(0), cl::cat(category));
  static cl::opt<bool> baseline(
      "baseline", cl::desc("also run the program with contiguous formats only"),
      cl::cat(category));
  static cl::opt<bool> profile("profile",
                               cl::desc("print the time of every operation"),
                               cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiles a model and runs it\n\nExit code 0 only if everything that was "
      "asked for holds.\n");

  Options options;
  options.model = model;
  options.weights = weights;
  options.inputs.assign(inputs.begin(), inputs.end());
  options.expected.assign(expected.begin(), expected.end());
  options.report = report;
  options.output = output;
  options.target = target;
  options.rtol = parseTolerance("rtol", rtol);
  options.atol = parseTolerance("atol", atol);
  options.threads = threads;
  options.repeat = repeat;
  options.seed = seed;
  options.randomInputs = randomInputs;
  options.baseline = baseline;
  options.profile = profile;
  constexpr unsigned kMostThreads = 1024;
  if (options.model.empty())
    fail("expects a model; see --help");
  if (options.threads < 1 || options.threads > kMostThreads)
    fail("--threads expects 1 to 1024");
  if (options.repeat < 1)
    fail("--repeat expects at least 1");
  if (options.randomInputs && !options.inputs.empty())
    fail("--random-inputs and --input exclude each other");
  if (!options.report.empty() &&
      !llvm::StringRef(options.report).ends_with(".json"))
    fail("--report expects a file name that ends in .json");
  return options;
}
