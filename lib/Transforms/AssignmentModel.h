//===- AssignmentModel.h - a module as an assignment problem ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The problem that a module poses, in numbers. Conversions are looked through:
// a module before and after assignment poses the same problem, port for port,
// which is what lets a certificate be checked on the emitted IR.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_ASSIGNMENTMODEL_H
#define MEMFMT_LIB_TRANSFORMS_ASSIGNMENTMODEL_H

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/Assignment/Problem.h"
#include "memfmt/Kernels/CostModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace memfmt {

/// The labels of the problem.
enum : unsigned { kContiguous = 0, kChannelsLast = 1, kNumFormats = 2 };

/// Row-major or channels-last; null for row-major.
mlir::Attribute getLabelFormat(mlir::MLIRContext *context, unsigned label);

/// The label that a type has; none for blocks, strides and other orders.
std::optional<unsigned> getLabel(mlir::RankedTensorType type);

/// The value that `value` is a conversion of, or itself.
mlir::Value lookThroughConversions(mlir::Value value);

/// A module in ids and integers.
class AssignmentModel {
public:
  /// A read of a value that takes part.
  struct Use {
    mlir::OpOperand *operand = nullptr;
    /// The value that is read, conversions looked through.
    mlir::Value source;
    /// The port that decides the format, in the problem.
    unsigned port = 0;
    /// What the reader demands where no port does.
    mlir::RankedTensorType demanded;
    /// The value in the problem and the position among its readers; none where
    /// producer and reader share a format that is no label, and for values that
    /// are made anew in any format.
    std::optional<std::pair<unsigned, unsigned>> reader;
  };

  /// Ports of one operation, as positions in `FormatOpInterface`.
  struct PortMembers {
    mlir::Operation *op = nullptr;
    llvm::SmallVector<unsigned, 4> operands;
    llvm::SmallVector<unsigned, 2> results;
  };

  /// Poses the problem of `module` on `target`. Never fails; what is wrong with
  /// a program shows when the problem is solved.
  AssignmentModel(mlir::ModuleOp module, const kernels::TargetInfo &target);

  assignment::Problem problem;
  /// What each port of the problem stands for; no operation for ports that
  /// stand for a demand or an origin.
  std::vector<PortMembers> members;
  std::vector<Use> uses;
  /// The value behind each value of the problem.
  std::vector<mlir::Value> values;

  /// Where conversions of a region stand.
  mlir::Region *getRegion(unsigned region) const { return regions[region]; }
  /// How often the operations of this region run.
  int64_t getWeight(mlir::Region *region);
  bool isCompileTime(mlir::Value value) {
    return compileTime.isCompileTime(value);
  }
  /// The cost of an operation in these formats, weighted, in picoseconds;
  /// `kInfinity` where nothing carries it out.
  int64_t getCost(mlir::Operation *op, const OperationFormats &formats);
  /// The same for a conversion of `value`, not weighted.
  int64_t getConversionCost(mlir::Value value, mlir::RankedTensorType from,
                            mlir::RankedTensorType to);
  /// The ports of an operation in the problem, one for each of its format
  /// ports; none where the rank has no channels-last form.
  llvm::ArrayRef<std::optional<unsigned>> getPorts(mlir::Operation *op) const;

  const kernels::TargetInfo &target;

private:
  void addOperation(mlir::Operation *op, unsigned number);
  void addPorts(FormatOpInterface op, const std::string &name);
  void addCosts(mlir::Operation *op,
                llvm::ArrayRef<std::optional<unsigned>> ports);
  void addOrigin(mlir::Value value, const std::string &name);
  void addReads(mlir::Operation *op, unsigned number);
  void addRead(mlir::OpOperand &operand, std::optional<unsigned> port,
               unsigned number);
  void addFixedConversions(mlir::ModuleOp module);
  unsigned getDemand(mlir::OpOperand &operand, mlir::RankedTensorType type,
                     mlir::Value source, unsigned number);
  unsigned addForeignPort(const std::string &name, mlir::Value value,
                          mlir::RankedTensorType foreign, bool isSource,
                          int64_t weight);
  unsigned getValue(mlir::Value value);
  unsigned getRegionId(mlir::Region *region);

  CompileTimeAnalysis compileTime;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<std::optional<unsigned>, 3>>
      operationPorts;
  /// The producing port and the name of each value.
  struct Origin {
    std::string name;
    unsigned port;
  };
  llvm::DenseMap<mlir::Value, Origin> origins;
  llvm::DenseMap<mlir::Value, unsigned> valueIds;
  llvm::DenseMap<mlir::Region *, unsigned> regionIds;
  llvm::DenseMap<mlir::Region *, int64_t> weights;
  std::vector<mlir::Region *> regions = {nullptr};
  unsigned fixedPorts[kNumFormats];
};

/// Operations that make a tensor out of nothing, in whatever format is wanted:
/// they answer `FormatOpInterface` and read no tensor.
bool isMadeAnew(mlir::Operation *op);

/// Whether formats of this type are chosen: ranks that have a channels-last
/// form, numbers as elements.
bool isAssignable(mlir::Type type);

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_ASSIGNMENTMODEL_H
