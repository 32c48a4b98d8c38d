//===- EmitConv.h - vector code for convolutions ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_EMITCONV_H
#define MEMFMT_KERNELS_EMITCONV_H

#include "memfmt/Kernels/EmitCommon.h"
#include "memfmt/Kernels/TargetInfo.h"

namespace memfmt::kernels {

/// A two-dimensional convolution of f32. Sizes in elements; index 0 of the
/// pairs is h, 1 is w. Padding reads as zero.
struct ConvShape {
  int64_t n, c, h, w, k, kh, kw, oh, ow;
  int64_t stride[2], padLow[2], padHigh[2], dilation[2];
  int64_t groups;

  int64_t channelsPerGroup() const { return c / groups; }
  int64_t filtersPerGroup() const { return k / groups; }
  /// Input pixels are used once each, in order: rows can be joined.
  bool isPointwise() const;
};

/// How a convolution is cut into tiles.
struct ConvTile {
  /// Accumulators: pixels x vectors of channels.
  int64_t pixels, vectors;
  /// Pixels of one row of work; the rows of a pointwise convolution are joined
  /// and cut anew.
  int64_t rowLength, rows;
  /// Channel blocks are the slow index of the work: right for large weights.
  bool blocksOutermost;
};

//===--- Output channels-last, lanes along k ------------------------------===//

/// The tile with the least predicted time on `target`.
ConvTile chooseConvTile(const ConvShape &shape, const TargetInfo &target);

/// Number of independent pieces of work of `emitConvDirect`.
int64_t getConvDirectTiles(const ConvShape &shape, const TargetInfo &target);

/// Emits the pieces lo to hi. The output is channels-last; the input may have
/// any order, since its elements are broadcast. `weights` are packed as
/// [groups][filters / NR][kh][kw][channels][NR], NR = lanes * tile.vectors,
/// padded with zeros; `bias` is [k] or null.
void emitConvDirect(mlir::ImplicitLocOpBuilder &builder, const ConvShape &shape,
                    const TargetInfo &target, const TensorRef &input,
                    mlir::Value weights, mlir::Value bias,
                    const TensorRef &output, mlir::Value lo, mlir::Value hi,
                    Epilogue epilogue);

//===--- Depthwise, channels-last -----------------------------------------===//

/// Number of independent pieces of work of `emitDepthwise`.
int64_t getDepthwiseTiles(const ConvShape &shape);

/// Channels-last in and out, one filter per channel. `weights` are
/// [kh][kw][k].
void emitDepthwise(mlir::ImplicitLocOpBuilder &builder, const ConvShape &shape,
                   const TargetInfo &target, const TensorRef &input,
                   mlir::Value weights, mlir::Value bias,
                   const TensorRef &output, mlir::Value lo, mlir::Value hi,
                   Epilogue epilogue);

//===--- Contiguous, lanes along w ----------------------------------------===//

/// Filters that share one load of pixels.
int64_t getContiguousFilterTile(const ConvShape &shape,
                                const TargetInfo &target);

/// Number of independent pieces of work of `emitConvContiguous`.
int64_t getConvContiguousTiles(const ConvShape &shape,
                               const TargetInfo &target);

/// Contiguous in and out, dense, grouped or depthwise. `weights` are
/// [groups][filters / KR][channels][kh][kw][KR], KR the filter tile, padded
/// with zeros.
void emitConvContiguous(mlir::ImplicitLocOpBuilder &builder,
                        const ConvShape &shape, const TargetInfo &target,
                        const TensorRef &input, mlir::Value weights,
                        mlir::Value bias, const TensorRef &output,
                        mlir::Value lo, mlir::Value hi, Epilogue epilogue);

/// Stores the first `valid` lanes of `acc` at `nchw` along `laneAxis`, each
/// part after the epilogue. Parts are powers of two: nothing beyond is touched.
void storeLanes(Emitter &e, mlir::Value acc, int64_t valid,
                const TensorRef &output, mlir::ArrayRef<mlir::Value> nchw,
                unsigned laneAxis, Epilogue epilogue);

/// `lanes` elements of a vector buffer from `index`, of which `valid` exist;
/// the others are zero.
mlir::Value loadPart(Emitter &e, mlir::Value memref, mlir::Value index,
                     int64_t valid, int64_t lanes);

/// The same buffer with all pixels in one row: h = 1, w = h * w.
TensorRef joinRows(mlir::ImplicitLocOpBuilder &builder, const TensorRef &tensor,
                   int64_t rows, int64_t rowLength);

/// First and last + 1 window row that reads inside the input, for output row
/// `oh`.
std::pair<mlir::Value, mlir::Value>
getWindowRows(Emitter &e, const ConvShape &shape, mlir::Value ih0);

} // namespace memfmt::kernels

#endif // MEMFMT_KERNELS_EMITCONV_H
