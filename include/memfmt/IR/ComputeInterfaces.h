//===- ComputeInterfaces.h - what operations say of formats -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_COMPUTEINTERFACES_H
#define MEMFMT_IR_COMPUTEINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

namespace memfmt {

/// The type in which sums of elements are kept: f32 for floats that are
/// narrower, as in PyTorch; else the type itself.
mlir::Type getSumType(mlir::Type type);
/// Whether sums of elements may be handed on as `sum`: in their own type or in
/// the one that they are kept in.
inline bool isSumType(mlir::Type sum, mlir::Type element) {
  return sum == element || sum == getSumType(element);
}

/// A group of operands and results of one operation that share one format.
struct FormatPort {
  /// Indices into the operands of the operation.
  llvm::SmallVector<unsigned, 4> operands;
  /// Indices into its results.
  llvm::SmallVector<unsigned, 2> results;
};

/// Where the elements of a tensor lie: strides and offset in elements.
/// `ShapedType::kDynamic` stands for what is not known.
struct StridedLayout {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;

  bool operator==(const StridedLayout &other) const {
    return sizes == other.sizes && strides == other.strides &&
           offset == other.offset;
  }
  /// Whether every number is known.
  bool isStatic() const;
};

/// Strides under which the memory of a tensor, all numbers known, is a tensor
/// of other sizes with as many elements in the same order; none where no
/// strides do. As `at::detail::computeStride` of PyTorch.
std::optional<llvm::SmallVector<int64_t>>
getViewStrides(const StridedLayout &source, llvm::ArrayRef<int64_t> sizes);

/// How a reference lowering reads operands, see `ElementOpInterface`.
struct ElementReader {
  /// The element of an operand at logical indices.
  llvm::function_ref<mlir::Value(unsigned operand, mlir::ValueRange indices)>
      read;
  /// The size of a logical axis of an operand, as an index.
  llvm::function_ref<mlir::Value(unsigned operand, int64_t axis)> size;
};

} // namespace memfmt

#include "memfmt/IR/ComputeInterfaces.h.inc"

#endif // MEMFMT_IR_COMPUTEINTERFACES_H
