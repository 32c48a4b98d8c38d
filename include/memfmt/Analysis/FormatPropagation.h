//===- FormatPropagation.h - formats as a dataflow analysis -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Which format every tensor has, given what the program declares. The analysis
// follows values through regions, branches and calls to a fixpoint; it changes
// nothing. Two policies (specification, section 4):
//
//   symmetric   formats meet in a table, whatever the order of operands
//   torch       strides exactly as eager PyTorch gives them
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_FORMATPROPAGATION_H
#define MEMFMT_ANALYSIS_FORMATPROPAGATION_H

#include "memfmt/Analysis/FormatLattice.h"

#include "mlir/Analysis/DataFlowFramework.h"

#include <memory>

namespace memfmt {

enum class PropagationPolicy { Symmetric, Torch };

/// The layout that a type declares. Dynamic numbers where it depends on dynamic
/// sizes, and for blocked formats, which have no strides.
StridedLayout getDeclaredLayout(mlir::RankedTensorType type);

/// The shortest format that gives a tensor of this type exactly these strides:
/// none at all, a name, an order of axes, strides.
mlir::Attribute getFormatOfLayout(mlir::RankedTensorType type,
                                  const StridedLayout &layout);

/// A format whose elements lie where this layout has them; strides of axes of
/// size 1 address nothing and may differ. Null for row-major, none where only
/// strides can say it.
std::optional<mlir::Attribute> getFormatOfMemory(mlir::RankedTensorType type,
                                                 const StridedLayout &layout);

/// What is known of one value.
struct FormatAnswer {
  /// Null for row-major.
  mlir::Attribute format;
  /// The value whose declaration this follows from; null where nothing was
  /// declared.
  mlir::Value origin;
};

/// Formats of all values of a module.
class FormatPropagation {
public:
  explicit FormatPropagation(PropagationPolicy policy);
  ~FormatPropagation();

  /// Runs to the fixpoint. Fails with an error on the operation that a policy
  /// refuses.
  mlir::LogicalResult run(mlir::ModuleOp module);

  /// The format of a value; none for what is no ranked tensor, what cannot be
  /// reached, and what has a format of another dialect.
  std::optional<FormatAnswer> getAnswer(mlir::Value value) const;

  /// The answer where all these values meet (the returns of a function).
  std::optional<FormatAnswer>
  getAnswer(llvm::ArrayRef<mlir::Value> values) const;

private:
  PropagationPolicy policy;
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_FORMATPROPAGATION_H
