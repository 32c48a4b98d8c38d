//===- Output.cpp - what memfmt-run reports ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace memfmt;
using namespace memfmt::run;
using namespace memfmt::runtime;

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static llvm::json::Value describe(const Latency &latency) {
  if (latency.ms.empty())
    return nullptr;
  return llvm::json::Object{{"min", latency.getQuantile(0)},
                            {"p10", latency.getQuantile(0.1)},
                            {"median", latency.getQuantile(0.5)}};
}

static llvm::json::Object describe(const ConstantFigures &figures) {
  return llvm::json::Object{{"count", figures.count}, {"bytes", figures.bytes}};
}

llvm::json::Array Session::describeOperations() {
  llvm::json::Array operations;
  ArrayRef<LaunchTime> profile = chosen.execution->getProfile();
  for (auto [id, launch] : llvm::enumerate(chosen.program->getLaunches())) {
    llvm::json::Value measured = nullptr;
    if (id < profile.size() && profile[id].calls)
      measured = profile[id].least;
    operations.push_back(llvm::json::Object{
        {"name",
         llvm::formatv("{0}.{1}", launch.number, launch.operation).str()},
        {"op", launch.operation},
        {"kernel", launch.kernel},
        {"format", launch.format},
        {"predicted_ns", launch.predictedPs / 1000.0},
        {"measured_ns", std::move(measured)}});
  }
  return operations;
}

LogicalResult Session::writeReport() {
  if (options.report.empty())
    return success();
  // The pipeline ends with an error unless the checker accepts.
  llvm::json::Object report = toJSON(assignment, /*verified=*/true);
  report["schema"] = "memfmt-report-1";
  report["model"] = llvm::sys::path::filename(options.model);
  report["machine"] = llvm::json::Object{
      {"cpu", llvm::sys::getHostCPUName()},
      {"target", options.target},
      {"peak_gflops",
       peakGflops ? llvm::json::Value(peakGflops) : llvm::json::Value(nullptr)},
      {"threads", options.threads}};
  report["folded"] = describe(chosen.program->getFolded());
  report["unfolded"] = describe(chosen.program->getUnfolded());
  report["operations"] = describeOperations();
  report["latency_ms"] = describe(chosen.latency);
  report["baseline_latency_ms"] = describe(contiguous.latency);
  report["max_abs_error"] = worst ? llvm::json::Value(worst->maxAbsError)
                                  : llvm::json::Value(nullptr);
  report["arena_bytes"] = chosen.program->getArenaBytes();
  report["arena_lower_bound"] = chosen.program->getArenaLowerBound();
  report["constant_bytes"] = chosen.program->getConstantBytes();
  report["compile_ms"] = chosen.compileMs;
  std::string text =
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report))).str();
  if (llvm::Error error = writeFile(options.report, text))
    return fail(std::move(error));
  return success();
}

//===----------------------------------------------------------------------===//
// Standard output
//===----------------------------------------------------------------------===//

static void printLatency(StringRef name, const Latency &latency) {
  llvm::outs() << llvm::formatv(
      "{0}min {1:f3} ms, p10 {2:f3} ms, median {3:f3} ms\n", name,
      latency.getQuantile(0), latency.getQuantile(0.1),
      latency.getQuantile(0.5));
}

static double toMs(std::optional<int64_t> ps) { return ps ? *ps / 1e9 : 0; }

/// Why the program needs no more conversions than it has.
static void printFreeChanges(const AssignmentRecord &record) {
  for (const FreeChange &change : record.freeChanges)
    llvm::outs() << "  nothing moves: " << change.what << " (" << change.from
                 << ", " << change.to << ")\n";
}

void Session::printSummary() {
  llvm::raw_ostream &os = llvm::outs();
  const Program &program = *chosen.program;
  os << "model        " << llvm::sys::path::filename(options.model) << ", "
     << program.getLaunches().size() << " kernels, " << options.threads
     << (options.threads == 1 ? " thread\n" : " threads\n");
  int64_t cost = assignment.cost.value_or(0),
          bound = assignment.lowerBound.value_or(0);
  if (cost == bound)
    os << llvm::formatv("assignment   cost {0} ps = lower bound {1} ps, proved "
                        "minimal by {2}, certificate checked\n",
                        cost, bound, assignment.method);
  else
    os << llvm::formatv("assignment   cost {0} ps, lower bound {1} ps, not "
                        "proved minimal, certificate checked\n",
                        cost, bound);
  os << llvm::formatv("predicted    {0:f3} ms", toMs(assignment.cost));
  for (auto [name, cost] : {std::pair("contiguous", assignment.contiguous),
                            std::pair("wrapped", assignment.wrapped),
                            std::pair("propagation", assignment.propagation)})
    if (cost)
      os << llvm::formatv("; {0} {1:f3} ms", name, toMs(cost));
  os << "\nconversions  " << assignment.conversions.size() << " at run time\n";
  for (const ConversionRecord &conversion : assignment.conversions)
    os << "  " << conversion.value << ": " << conversion.from << " to "
       << conversion.to << ", " << conversion.bytes
       << " bytes: " << conversion.reason << "\n";
  printFreeChanges(assignment);
  os << llvm::formatv("constants    {0} prepared at compile time ({1:f1} MB), "
                      "{2} left to run time\n",
                      program.getFolded().count - program.getUnfolded().count,
                      program.getFolded().bytes / 1e6,
                      program.getUnfolded().count);
  os << llvm::formatv(
      "arena        {0} bytes (at least {1} are live at once)\n",
      program.getArenaBytes(), program.getArenaLowerBound());
  if (worst)
    os << llvm::formatv("error        largest {0:e2}, allowed {1:e2}\n",
                        worst->maxAbsError, worst->allowed);
  printLatency("latency      ", chosen.latency);
  if (options.baseline) {
    printLatency("contiguous   ", contiguous.latency);
    os << llvm::formatv("speed-up     {0:f2} (p10 over p10)\n",
                        contiguous.latency.getQuantile(0.1) /
                            chosen.latency.getQuantile(0.1));
  }
  if (!options.report.empty())
    os << "report       " << options.report << "\n";
}

void Session::printProfile() {
  llvm::outs() << "\n  predicted us   measured us  kernel\n";
  ArrayRef<LaunchTime> profile = chosen.execution->getProfile();
  for (auto [launch, time] :
       llvm::zip_equal(chosen.program->getLaunches(), profile))
    llvm::outs() << llvm::formatv(
        "  {0,12:f1}  {1,12:f1}  {2} ({3}.{4}, {5})\n",
        launch.predictedPs / 1e6, time.least / 1e3, launch.kernel,
        launch.number, launch.operation, launch.format);
}
