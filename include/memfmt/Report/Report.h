//===- Report.h - where formats go and why ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_REPORT_REPORT_H
#define MEMFMT_REPORT_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace memfmt {

/// One conversion in a program. Times in picoseconds.
struct ConversionRecord {
  std::string value, from, to, reason;
  int64_t bytes = 0;
  /// Predicted time of one execution.
  std::optional<int64_t> cost;
  /// Growth of the least cost if this conversion is forbidden.
  std::optional<int64_t> removalCost;
};

/// A place where memory changes its format and nothing moves: an operation that
/// reads one format and writes another, or a tensor for which two formats are
/// the same memory.
struct FreeChange {
  std::string what, from, to;
};

/// What the attributes and operations of an assigned module say.
struct AssignmentRecord {
  std::optional<int64_t> cost, lowerBound, contiguous, wrapped, propagation;
  std::string method;
  std::vector<ConversionRecord> conversions;
  std::vector<FreeChange> freeChanges;
};

/// Reads a module at stage Encoded.
AssignmentRecord describeAssignment(mlir::ModuleOp module);

/// The fields `objective`, `lower_bound`, `certificate`, `conversions`,
/// `free_changes` and `baselines` of a report. `verified` is the word of the
/// checker. Costs are in picoseconds.
llvm::json::Object toJSON(const AssignmentRecord &record, bool verified);

/// Writes the whole text or nothing; an existing file is replaced at the end.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

} // namespace memfmt

#endif // MEMFMT_REPORT_REPORT_H
