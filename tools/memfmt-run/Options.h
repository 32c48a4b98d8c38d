//===- Options.h - the command line of memfmt-run ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TOOLS_RUN_OPTIONS_H
#define MEMFMT_TOOLS_RUN_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace memfmt::run {

struct Options {
  std::string model;
  std::string weights;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
  std::string report;
  std::string output;
  std::string target;
  double rtol = 0, atol = 0;
  unsigned threads = 1, repeat = 1;
  uint64_t seed = 0;
  bool randomInputs = false, baseline = false, profile = false;
};

/// Reads the command line; ends the process with one error where it is wrong.
Options parseOptions(int argc, char **argv);

} // namespace memfmt::run

#endif // MEMFMT_TOOLS_RUN_OPTIONS_H
