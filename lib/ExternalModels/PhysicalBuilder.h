//===- PhysicalBuilder.h - upstream operations on physical tensors -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_EXTERNALMODELS_PHYSICALBUILDER_H
#define MEMFMT_LIB_EXTERNALMODELS_PHYSICALBUILDER_H

#include "memfmt/IR/Format.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace memfmt {

/// The type of a value as a ranked tensor.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether a type is a tensor with a format.
inline bool isEncoded(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && getFormat(tensor);
}

/// Fails with an error on `op` when a format of its types has inner blocks,
/// which reference lowerings other than conversions do not know.
mlir::LogicalResult refuseBlocks(mlir::Operation *op);

/// `map` for the physical form of a tensor of type `encoded`.
mlir::AffineMap getPhysicalMap(mlir::AffineMap map,
                               mlir::RankedTensorType encoded);

/// Entries of a per-axis list in physical order.
template <typename T>
llvm::SmallVector<T> permuteToPhysical(llvm::ArrayRef<T> values,
                                       mlir::RankedTensorType encoded) {
  llvm::SmallVector<T> result;
  for (int64_t axis : getPhysicalOrder(encoded))
    result.push_back(values[axis]);
  return result;
}

/// An empty tensor of the physical form of `encoded`; dynamic sizes, in logical
/// order, come from `dynamicSizes` (all axes).
mlir::Value createEmpty(mlir::ImplicitLocOpBuilder &builder,
                        mlir::RankedTensorType encoded,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The zero of an element type.
mlir::Value createZero(mlir::ImplicitLocOpBuilder &builder, mlir::Type type);

/// The tensor with its elements converted to `type` one by one.
mlir::Value convertElements(mlir::ImplicitLocOpBuilder &builder,
                            mlir::Value value, mlir::Type type);

/// Copies a block of scalar operations into the body of a linalg operation
/// under construction: its arguments become `arguments`, its terminator a
/// `linalg.yield`.
void inlineScalarBlock(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Block &block, mlir::ValueRange arguments);

/// Applies the epilogue of `op` to the physical `value`; `epilogueOperands` are
/// physical. Returns `value` where there is none.
mlir::Value applyEpilogue(mlir::ImplicitLocOpBuilder &builder,
                          mlir::Operation *op, mlir::Value value,
                          mlir::ValueRange physicalOperands);

} // namespace memfmt

#endif // MEMFMT_LIB_EXTERNALMODELS_PHYSICALBUILDER_H
