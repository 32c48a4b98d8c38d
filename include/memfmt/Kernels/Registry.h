//===- Registry.h - the kernels that a context knows ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A kernel states which operation it carries out, in which formats, at what
// price, and how it is lowered. The registry lives in the context, as a dialect
// interface of the memfmt dialect; an embedder adds kernels to it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_REGISTRY_H
#define MEMFMT_KERNELS_REGISTRY_H

#include "memfmt/IR/MemFmt.h"
#include "memfmt/Kernels/TargetInfo.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>
#include <optional>

namespace memfmt {

/// A format for every operand and result of an operation; a null attribute is
/// row-major, as in a tensor type.
struct OperationFormats {
  llvm::SmallVector<mlir::Attribute, 4> operands;
  llvm::SmallVector<mlir::Attribute, 2> results;

  /// The formats that the types of `op` declare.
  static OperationFormats get(mlir::Operation *op);
  /// The formats of `op` when its ports have the formats `portFormats` and all
  /// else is row-major.
  static OperationFormats get(mlir::Operation *op,
                              llvm::ArrayRef<mlir::Attribute> portFormats);
};

/// One implementation of one operation. Costs are in picoseconds of one thread,
/// so that certificates are exact integers.
class FormatKernel {
public:
  virtual ~FormatKernel();

  /// Unique, as printed in reports: `conv.direct`.
  virtual llvm::StringRef getName() const = 0;

  /// True when the kernel carries out `op` with these formats on `target`:
  /// element types, ranks, static shapes and formats are all part of the
  /// answer.
  virtual bool accepts(mlir::Operation *op, const OperationFormats &formats,
                       const kernels::TargetInfo &target) const = 0;

  /// Predicted time; called only after `accepts`.
  virtual int64_t getCost(mlir::Operation *op, const OperationFormats &formats,
                          const kernels::TargetInfo &target) const = 0;

  /// Builds the `memfmt.kernel` (and what packs its weights) that replaces
  /// `op`. `operands` are the physical forms of the operands. Returns the
  /// physical results.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  select(mlir::Operation *op, mlir::ValueRange operands,
         mlir::ImplicitLocOpBuilder &builder,
         const kernels::TargetInfo &target) const = 0;

  /// Number of independent pieces of work of a bufferized kernel.
  virtual int64_t getNumTiles(KernelOp kernel,
                              const kernels::TargetInfo &target) const = 0;

  /// Emits the pieces `lo` to `hi` (index values, `hi` excluded) at the
  /// insertion point. `operands` replace the operands of the bufferized
  /// `kernel`, in order.
  virtual mlir::LogicalResult
  lower(KernelOp kernel, mlir::ImplicitLocOpBuilder &builder,
        mlir::ValueRange operands, mlir::Value lo, mlir::Value hi,
        const kernels::TargetInfo &target) const = 0;
};

/// All kernels of a context, in the order of registration.
class KernelRegistry : public mlir::DialectInterface::Base<KernelRegistry> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelRegistry)
  explicit KernelRegistry(mlir::Dialect *dialect) : Base(dialect) {}

  /// The registry of the context; the memfmt dialect must be loaded.
  static KernelRegistry &get(mlir::MLIRContext *context);

  void add(std::unique_ptr<FormatKernel> kernel);

  /// The kernel of this name, or null.
  const FormatKernel *lookup(llvm::StringRef name) const;

  /// The cheapest kernel for `op` in these formats with its cost, the first
  /// registered among equals; none where only the reference lowering is left.
  std::optional<std::pair<const FormatKernel *, int64_t>>
  findCheapest(mlir::Operation *op, const OperationFormats &formats,
               const kernels::TargetInfo &target) const;

private:
  std::vector<std::unique_ptr<FormatKernel>> kernels;
};

/// Registers the kernels of this library with every context that loads the
/// memfmt dialect from `registry`.
void registerKernels(mlir::DialectRegistry &registry);

} // namespace memfmt

#endif // MEMFMT_KERNELS_REGISTRY_H
