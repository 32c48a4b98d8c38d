//===- EmitCommon.h - what emitters of vector code share --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Emitters build scf, vector, memref and arith operations at the insertion
// point of a builder. They know buffers and numbers, nothing of the memfmt
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_EMITCOMMON_H
#define MEMFMT_KERNELS_EMITCOMMON_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace memfmt::kernels {

/// A buffer of rank 4 with the logical axes n, c, h, w (0 to 3): physical
/// position i holds logical axis order[i].
struct TensorRef {
  mlir::Value memref;
  std::array<unsigned, 4> order;

  /// Physical indices for logical ones.
  llvm::SmallVector<mlir::Value, 4>
  permute(mlir::ArrayRef<mlir::Value> nchw) const;
  /// The position of a logical axis.
  unsigned position(unsigned axis) const;
  /// Logical size of an axis.
  int64_t size(unsigned axis) const;
};

/// Called just before a store with accumulators (a vector, or a scalar), the
/// logical indices of the first of them and the axis along which lanes run (1
/// is c, 3 is w). Returns what is stored.
using Epilogue = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value acc,
    mlir::ArrayRef<mlir::Value> nchw, unsigned laneAxis)>;

/// Index and loop arithmetic with less noise. Constants are folded.
class Emitter {
public:
  explicit Emitter(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);
  mlir::Value zeroVector(int64_t lanes);

  using Body = llvm::function_ref<void(mlir::Value iv)>;
  using CarriedBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value iv, mlir::ValueRange carried)>;
  /// for iv in [lo, hi) by step.
  void loop(mlir::Value lo, mlir::Value hi, int64_t step, Body body);
  /// The same with loop-carried values; returns the final ones.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lo, mlir::Value hi,
                                      int64_t step, mlir::ValueRange init,
                                      CarriedBody body);

  mlir::ImplicitLocOpBuilder &b;
};

/// `lanes` elements from the logical index `nchw` along `laneAxis` (a scalar
/// for `lanes` 0): an axis of size 1 in `tensor` is broadcast, a strided lane
/// axis is gathered element by element.
mlir::Value loadLanes(mlir::OpBuilder &builder, mlir::Location loc,
                      const TensorRef &tensor, mlir::ArrayRef<mlir::Value> nchw,
                      unsigned laneAxis, int64_t lanes);

/// Splits `total` into tiles: the largest tile sizes from `sizes` (descending)
/// that fit, one run each. Returns (start, tile size, number of tiles).
struct TileRun {
  int64_t start, size, count;
};
llvm::SmallVector<TileRun> splitIntoTiles(int64_t total,
                                          llvm::ArrayRef<int64_t> sizes);

} // namespace memfmt::kernels

#endif // MEMFMT_KERNELS_EMITCOMMON_H
