//===- Session.cpp - one invocation of memfmt-run ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "memfmt/Runtime/ModelFile.h"
#include "memfmt/Runtime/Peak.h"
#include "memfmt/Runtime/TensorFile.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace memfmt;
using namespace memfmt::run;
using namespace memfmt::runtime;

double Latency::getQuantile(double q) const {
  return ms.empty() ? 0 : ms[static_cast<size_t>(q * (ms.size() - 1))];
}

LogicalResult Session::fail(const llvm::Twine &text) {
  llvm::errs() << "memfmt-run: error: " << text << "\n";
  return failure();
}

LogicalResult Session::fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

void Session::progress(const llvm::Twine &text) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "memfmt-run: " << text << "\n";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

LogicalResult Session::loadModel() {
  progress("reading " + options.model);
  module = runtime::loadModel(options.model, options.weights,
                              /*allowMissing=*/false, sources, context);
  return success(static_cast<bool>(module));
}

/// The names of a file in the order of the arguments: `arg0`, `arg1`, ... by
/// number where all names are of this kind, else as they come.
static std::vector<std::string> orderNames(llvm::ArrayRef<std::string> names) {
  std::vector<std::string> ordered(names);
  auto numberOf = [](llvm::StringRef name) {
    unsigned number = 0;
    return name.consume_front("arg") && !name.getAsInteger(10, number)
               ? std::optional<unsigned>(number)
               : std::nullopt;
  };
  if (llvm::all_of(names, numberOf))
    llvm::stable_sort(ordered, [&](const std::string &a, const std::string &b) {
      return *numberOf(a) < *numberOf(b);
    });
  return ordered;
}

/// All arrays of the files in order.
static llvm::Expected<std::vector<HostTensor>>
readArrays(llvm::ArrayRef<std::string> paths) {
  std::vector<HostTensor> arrays;
  for (const std::string &path : paths) {
    auto file = openTensorFile(path, TensorRole::inputs);
    if (!file)
      return file.takeError();
    for (const std::string &name : orderNames((*file)->getNames())) {
      llvm::Expected<HostTensor> array = (*file)->get(name);
      if (!array)
        return array.takeError();
      arrays.push_back(std::move(*array));
    }
  }
  return arrays;
}

LogicalResult Session::loadExpected() {
  if (options.expected.empty())
    return success();
  auto arrays = readArrays(options.expected);
  if (!arrays)
    return fail(arrays.takeError());
  expected = std::move(*arrays);
  return success();
}

LogicalResult Session::loadInputs(const Program &program) {
  if (options.randomInputs)
    return makeRandomInputs(program);
  auto arrays = readArrays(options.inputs);
  if (!arrays)
    return fail(arrays.takeError());
  inputs = std::move(*arrays);
  if (inputs.size() < program.getInputs().size())
    return fail("the program has " + llvm::Twine(program.getInputs().size()) +
                " inputs, found " + llvm::Twine(inputs.size()) +
                "; give them with --input or ask for --random-inputs");
  if (llvm::Error error = program.checkInputs(inputs))
    return fail(std::move(error));
  return success();
}

/// splitmix64: the sequence that seeds in manifests use, too.
static uint64_t mix(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// Floats between -1 and 1, integers between 0 and 1.
LogicalResult Session::makeRandomInputs(const Program &program) {
  for (auto [number, spec] : llvm::enumerate(program.getInputs())) {
    auto array = HostTensor::allocate(spec.type, spec.shape);
    if (!array)
      return fail(array.takeError());
    char *bytes = array->getMutableBytes().data();
    int64_t size = getElementSize(spec.type);
    for (int64_t i = 0, n = array->getNumElements(); i < n; ++i) {
      uint64_t bits = mix(options.seed + number, i);
      float value = (static_cast<int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23f;
      if (spec.type == ElementType::f32)
        memcpy(bytes + i * size, &value, size);
      else if (double wide = value; spec.type == ElementType::f64)
        memcpy(bytes + i * size, &wide, size);
      else if (spec.type == ElementType::f16 || spec.type == ElementType::bf16)
        return fail("--random-inputs serves f32, f64 and integers, found " +
                    spec.getTypeName());
      else
        bytes[i * size] = bits & 1;
    }
    inputs.push_back(std::move(*array));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Compiling and running
//===----------------------------------------------------------------------===//

LogicalResult Session::build(Build &build, ModuleOp module, bool baseline) {
  progress(baseline ? "compiling the contiguous baseline" : "compiling");
  double start = seconds();
  PipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.baseline = baseline;
  // The other program may still read the same weights.
  pipeline.release = !options.baseline || baseline;
  if (failed(runPipeline(module, pipeline, Stage::Plain, Stage::Encoded)))
    return failure();
  if (!baseline)
    assignment = describeAssignment(module);
  auto program = Program::compile(module, pipeline, Stage::Encoded);
  if (failed(program))
    return failure();
  build.program = std::move(*program);
  build.compileMs = (seconds() - start) * 1e3;
  auto execution = build.program->createContext(options.threads);
  if (!execution)
    return fail(execution.takeError());
  build.execution = std::move(*execution);
  return success();
}

/// Runs round-robin, so that both programs see the same machine.
LogicalResult Session::runPrograms() {
  progress("running");
  std::vector<Build *> builds = {&chosen};
  if (options.baseline)
    builds.push_back(&contiguous);
  for (unsigned round = 0; round <= options.repeat; ++round)
    for (Build *build : builds) {
      double start = seconds();
      auto results = build->program->run(*build->execution, inputs);
      double ms = (seconds() - start) * 1e3;
      if (!results)
        return fail(results.takeError());
      build->results = std::move(*results);
      // The first round warms caches up; its result is used all the same.
      if (round)
        build->latency.ms.push_back(ms);
    }
  for (Build *build : builds)
    llvm::sort(build->latency.ms);
  return success();
}

LogicalResult Session::compare(const Build &build, llvm::StringRef name) {
  if (expected.empty())
    return success();
  if (expected.size() != build.results.size())
    return fail("expected values: the program has " +
                llvm::Twine(build.results.size()) + " results, found " +
                llvm::Twine(expected.size()));
  bool holds = true;
  for (auto [index, result, golden] :
       llvm::enumerate(build.results, expected)) {
    auto comparison =
        compareTensors(result, golden, options.rtol, options.atol);
    if (!comparison)
      return fail("result " + llvm::Twine(index) + ": " +
                  llvm::toString(comparison.takeError()));
    if (&build == &chosen &&
        (!worst || comparison->maxAbsError > worst->maxAbsError))
      worst = *comparison;
    if (comparison->holds)
      continue;
    holds = false;
    std::string text;
    llvm::raw_string_ostream(text)
        << name << "result " << index << " differs at "
        << formatIndex(golden.getShape(), comparison->worstIndex)
        << llvm::format(": found %.9g, expected %.9g; largest difference "
                        "%.3g, allowed %.3g",
                        comparison->actual, comparison->expected,
                        comparison->maxAbsError, comparison->allowed);
    (void)fail(text);
    break;
  }
  return success(holds);
}

LogicalResult Session::writeResults() {
  if (options.output.empty())
    return success();
  if (llvm::StringRef(options.output).ends_with(".npz")) {
    std::vector<std::pair<std::string, HostTensor>> named;
    for (auto [index, result] : llvm::enumerate(chosen.results))
      named.push_back({"out" + std::to_string(index), result});
    if (llvm::Error error = writeNpz(options.output, named))
      return fail(std::move(error));
    return success();
  }
  if (!llvm::StringRef(options.output).ends_with(".npy"))
    return fail("--output expects a file name that ends in .npy or .npz");
  if (chosen.results.size() != 1)
    return fail("--output expects .npz for a program with " +
                llvm::Twine(chosen.results.size()) + " results");
  if (llvm::Error error = writeNpy(options.output, chosen.results.front()))
    return fail(std::move(error));
  return success();
}

/// Code for another machine would not survive its first instruction.
LogicalResult Session::checkTarget() {
  const kernels::TargetInfo *target = kernels::lookupTarget(options.target);
  if (!target)
    return fail("unknown target \"" + options.target +
                "\", expects host, avx512, avx2, sse or neon");
  if (!kernels::runsOnHost(*target))
    return fail("this machine cannot run code for the target " + target->name);
  return success();
}

LogicalResult Session::run() {
  if (failed(checkTarget()) || failed(loadModel()) || failed(loadExpected()))
    return failure();
  OwningOpRef<ModuleOp> copy;
  if (options.baseline)
    copy = module->clone();
  if (failed(build(chosen, *module, /*baseline=*/false)) ||
      failed(loadInputs(*chosen.program)))
    return failure();
  if (options.baseline && failed(build(contiguous, *copy, /*baseline=*/true)))
    return failure();
  peakGflops = measurePeak();
  if (failed(runPrograms()))
    return failure();
  if (options.profile || !options.report.empty()) {
    chosen.execution->startProfile(chosen.program->getLaunches().size());
    for (unsigned round = 0; round < std::min(options.repeat, 20u); ++round)
      if (auto results = chosen.program->run(*chosen.execution, inputs);
          !results)
        return fail(results.takeError());
    chosen.execution->stopProfile();
  }
  if (failed(compare(chosen, "")) ||
      (options.baseline && failed(compare(contiguous, "baseline: "))))
    return failure();
  if (failed(writeResults()) || failed(writeReport()))
    return failure();
  printSummary();
  if (options.profile)
    printProfile();
  return success();
}
