//===- PhysicalConversion.h - encoded to physical tensors -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_CONVERSION_PHYSICALCONVERSION_H
#define MEMFMT_LIB_CONVERSION_PHYSICALCONVERSION_H

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace memfmt {

/// Rewrites a module of encoded tensors into one of physical tensors.
/// Operations are replaced in order; an encoded value stays, with its type,
/// until all its readers are replaced, so that they see what it declared.
class PhysicalConversion {
public:
  /// Replaces one operation given its physical operands: the physical results,
  /// or nothing when the operation is not handled.
  using Hook = llvm::function_ref<
      mlir::FailureOr<std::optional<llvm::SmallVector<mlir::Value>>>(
          mlir::Operation *, mlir::ValueRange, mlir::OpBuilder &)>;

  /// Asks `hook` first, then `MaterializeOpInterface`. Fails with an error
  /// where neither knows an operation that has encoded tensors.
  mlir::LogicalResult run(mlir::ModuleOp module, Hook hook);

private:
  mlir::LogicalResult convertRegion(mlir::Region &region, Hook hook);
  mlir::LogicalResult convert(mlir::Operation *op, Hook hook);
  /// Control flow, calls and returns pass values on untouched: their types
  /// change in place.
  mlir::LogicalResult convertInPlace(mlir::Operation *op);
  mlir::Value getPhysical(mlir::Value value);
  /// Gives `value` its physical type; readers keep seeing the encoded one.
  void changeType(mlir::Value value, mlir::OpBuilder &builder);

  llvm::DenseMap<mlir::Value, mlir::Value> physical;
  llvm::SmallVector<mlir::Operation *> replaced;
};

} // namespace memfmt

#endif // MEMFMT_LIB_CONVERSION_PHYSICALCONVERSION_H
