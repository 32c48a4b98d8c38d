//===- InferenceSupport.h - shared by shape inference -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_IR_INFERENCESUPPORT_H
#define MEMFMT_LIB_IR_INFERENCESUPPORT_H

#include "memfmt/IR/Format.h"

#include "mlir/IR/Diagnostics.h"

namespace memfmt {

/// An error for the operation `name`, where there is a location to report at.
template <typename... Args>
mlir::LogicalResult inferenceError(std::optional<mlir::Location> location,
                                   llvm::StringRef name, Args &&...args) {
  if (location) {
    mlir::InFlightDiagnostic diagnostic = mlir::emitError(*location);
    diagnostic << "'" << name << "' op ";
    (diagnostic << ... << std::forward<Args>(args));
  }
  return mlir::failure();
}

/// The type of a value as a ranked tensor.
inline mlir::RankedTensorType rankedType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A plain type of this shape with the element type of `like`.
inline mlir::RankedTensorType plainType(llvm::ArrayRef<int64_t> shape,
                                        mlir::RankedTensorType like) {
  return mlir::RankedTensorType::get(shape, like.getElementType());
}

inline bool isDynamic(int64_t size) {
  return mlir::ShapedType::isDynamic(size);
}

/// Whether two sizes can be equal.
inline bool sizesMayAgree(int64_t a, int64_t b) {
  return a == b || isDynamic(a) || isDynamic(b);
}

/// Fails unless `axis` is an axis of a tensor of this rank.
inline mlir::LogicalResult checkAxis(std::optional<mlir::Location> location,
                                     llvm::StringRef name, int64_t axis,
                                     int64_t rank) {
  if (axis >= 0 && axis < rank)
    return mlir::success();
  return inferenceError(location, name, "expects an axis from 0 to ", rank - 1,
                        ", found ", axis);
}

/// Fails unless every axis is one, and none is named twice.
mlir::LogicalResult checkAxes(std::optional<mlir::Location> location,
                              llvm::StringRef name,
                              llvm::ArrayRef<int64_t> axes, int64_t rank);

/// Fails unless a list has one value for each of `count` axes, all from `least`
/// to 2^31.
mlir::LogicalResult checkList(std::optional<mlir::Location> location,
                              llvm::StringRef name, llvm::StringRef what,
                              llvm::ArrayRef<int64_t> values, int64_t count,
                              int64_t least);

/// Fails unless an optional tensor has the one axis of this size.
mlir::LogicalResult checkVector(std::optional<mlir::Location> location,
                                llvm::StringRef name, llvm::StringRef what,
                                mlir::Value vector, int64_t size);

/// Folds an operation that gives back its input: the input, where its type is
/// that of the result, format included.
inline mlir::OpFoldResult foldToInput(mlir::Value input, mlir::Value result) {
  if (input.getType() == result.getType())
    return input;
  return {};
}

/// One port of these operands and results.
FormatPort makePort(llvm::ArrayRef<unsigned> operands,
                    llvm::ArrayRef<unsigned> results);

/// The format that a request names, for a tensor of this rank; none for
/// `preserve`.
std::optional<mlir::Attribute> getRequestedFormat(mlir::MLIRContext *context,
                                                  FormatRequest request);

/// PyTorch's names serve one rank each.
mlir::LogicalResult checkRequest(std::optional<mlir::Location> location,
                                 llvm::StringRef name, FormatRequest request,
                                 int64_t rank);

} // namespace memfmt

#endif // MEMFMT_LIB_IR_INFERENCESUPPORT_H
