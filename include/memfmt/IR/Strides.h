//===- Strides.h - queries of memory formats on strides ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What PyTorch answers about the layout of a strided tensor, from its sizes and
// strides alone. Sizes are not negative; strides are in elements, of any sign.
// Sizes and strides have the same length.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ANALYSIS_STRIDES_H
#define MEMFMT_ANALYSIS_STRIDES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace memfmt {

/// The formats that queries name. `ChannelsLast1d` (rank 3) is an addition;
/// PyTorch has the other three, for any rank, rank 4 and rank 5.
enum class MemoryFormat {
  Contiguous,
  ChannelsLast1d,
  ChannelsLast,
  ChannelsLast3d
};

/// `contiguous`, `channels_last_1d`, `channels_last`, `channels_last_3d`.
llvm::StringRef stringifyMemoryFormat(MemoryFormat format);

/// The inverse; none for another word.
std::optional<MemoryFormat> symbolizeMemoryFormat(llvm::StringRef name);

/// Whether the elements lie densely in the order of the format. Axes of size 1
/// are skipped; false for a rank that the format does not serve. A tensor
/// without elements is always contiguous in `Contiguous`.
bool isContiguous(llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides,
                  MemoryFormat format = MemoryFormat::Contiguous);

/// The same walk for any order of the axes, the outermost first. A tensor
/// without elements is contiguous in row-major order; elsewhere its strides
/// must be the products, as PyTorch has it.
bool isContiguousInOrder(llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> strides,
                         llvm::ArrayRef<int64_t> order);

/// Whether the elements lie densely in some order of the axes.
bool isNonOverlappingAndDense(llvm::ArrayRef<int64_t> sizes,
                              llvm::ArrayRef<int64_t> strides);

/// Whether strides grow in the order of `ChannelsLast` or `ChannelsLast3d`,
/// dense or not. Unlike `isContiguous` this reads the strides of axes of size
/// 1; where they leave it open the answer is no.
bool isLikeChannelsLast(llvm::ArrayRef<int64_t> sizes,
                        llvm::ArrayRef<int64_t> strides, MemoryFormat format);

/// The format that an operation takes a tensor to have: `ChannelsLast` or
/// `ChannelsLast3d` when its strides are like that (with `exact` when they are
/// those of a dense tensor), else `Contiguous`.
MemoryFormat suggestFormat(llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<int64_t> strides, bool exact = false);

/// Strides of a dense tensor in this format; none for a rank that the format
/// does not serve and when a stride exceeds 63 bits. With a size of 0 the
/// strides of channels-last are products with 0, those of row-major are not:
/// that is what PyTorch reports.
std::optional<llvm::SmallVector<int64_t>>
getDenseStrides(llvm::ArrayRef<int64_t> sizes,
                MemoryFormat format = MemoryFormat::Contiguous);

} // namespace memfmt

#endif // MEMFMT_ANALYSIS_STRIDES_H
