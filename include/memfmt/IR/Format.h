//===- Format.h - formats of tensor types -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The one place that decides what a format means for a shape. Nothing else
// compares names or strides.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_FORMAT_H
#define MEMFMT_IR_FORMAT_H

#include "memfmt/IR/MemFmt.h"

#include <optional>

namespace memfmt {

/// The format of a type; null is row-major, also where the type spells the
/// identity order. Encodings of other dialects are no formats: null as well.
FormatAttrInterface getFormat(mlir::RankedTensorType type);

/// The type with another format; null and the identity order give a type
/// without encoding.
mlir::RankedTensorType withFormat(mlir::RankedTensorType type,
                                  mlir::Attribute format);

/// True for a type without format.
bool isContiguousType(mlir::RankedTensorType type);

/// True when both formats give every element of this shape the same address.
/// Axes of size 1 have no stride that matters. Where sizes are dynamic the
/// answer is true only when it holds for all sizes.
bool areEquivalent(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// Whether a tensor of this type is contiguous in `format`, which may be the
/// identity order. False for a rank that `format` does not serve; none where
/// sizes or strides that are not known decide.
std::optional<bool> isContiguousIn(mlir::RankedTensorType type,
                                   FormatAttrInterface format);

/// The answer of `memfmt.query`: PyTorch's on the strides that the type
/// declares; none where sizes or strides are not known, and for blocked
/// formats.
std::optional<bool> answerQuery(mlir::RankedTensorType type, LayoutQuery query);

/// The dense physical tensor: sizes in physical order, blocks innermost, no
/// encoding.
mlir::RankedTensorType getPhysicalType(mlir::RankedTensorType type);

/// The logical axis at each physical position, outermost first, blocks left
/// aside.
llvm::SmallVector<int64_t> getPhysicalOrder(mlir::RankedTensorType type);

/// Bytes of the physical tensor; none when dynamic or above 63 bits.
std::optional<int64_t> getPhysicalBytes(mlir::RankedTensorType type);

/// How reports name the format of a type: `contiguous`, `channels_last`, or as
/// the attribute prints.
std::string describeFormat(mlir::RankedTensorType type);

FormatAttr getChannelsLast(mlir::MLIRContext *context);

/// The format with this physical order; null for the identity.
FormatAttr getPermuted(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> order);

/// The raw bytes of a constant in row-major order, one byte for each element of
/// up to 8 bits. `storage` backs splats and i1. It is an error when a resource
/// is missing or its size does not fit the type, when elements are no numbers,
/// and for a splat of more than 16 GiB.
mlir::FailureOr<llvm::ArrayRef<char>>
getConstantData(mlir::ElementsAttr attribute, std::vector<char> &storage,
                llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace memfmt

#endif // MEMFMT_IR_FORMAT_H
