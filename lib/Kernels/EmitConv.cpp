//===- EmitConv.cpp - what convolution emitters share -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitConv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt::kernels;

bool ConvShape::isPointwise() const {
  bool plain = kh == 1 && kw == 1;
  for (int i : {0, 1})
    plain &= stride[i] == 1 && padLow[i] == 0 && padHigh[i] == 0;
  return plain;
}

/// The largest power of two that is at most `n`.
static int64_t floorPowerOfTwo(int64_t n) {
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(n)));
}

/// Lanes [start, start + length) of a vector; a scalar for length 1.
static Value extractPart(Emitter &e, Value vector, int64_t start,
                         int64_t length) {
  if (length == 1)
    return vector::ExtractOp::create(e.b, vector, ArrayRef<int64_t>{start});
  return vector::ExtractStridedSliceOp::create(
      e.b, vector, ArrayRef<int64_t>{start}, ArrayRef<int64_t>{length},
      ArrayRef<int64_t>{1});
}

void memfmt::kernels::storeLanes(Emitter &e, Value acc, int64_t valid,
                                 const TensorRef &output, ArrayRef<Value> nchw,
                                 unsigned laneAxis, Epilogue epilogue) {
  int64_t lanes = cast<VectorType>(acc.getType()).getNumElements();
  // `valid` counts from this vector on; what follows it belongs to the next.
  valid = std::min(valid, lanes);
  for (int64_t start = 0; start < valid;) {
    int64_t length = floorPowerOfTwo(valid - start);
    Value part = length == lanes ? acc : extractPart(e, acc, start, length);
    SmallVector<Value> at(nchw);
    at[laneAxis] = e.add(nchw[laneAxis], start);
    part = epilogue(e.b, e.b.getLoc(), part, at, laneAxis);
    SmallVector<Value, 4> index = output.permute(at);
    if (isa<VectorType>(part.getType()))
      vector::StoreOp::create(e.b, part, output.memref, index);
    else
      memref::StoreOp::create(e.b, part, output.memref, index);
    start += length;
  }
}

Value memfmt::kernels::loadPart(Emitter &e, Value memref, Value index,
                                int64_t valid, int64_t lanes) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (valid >= lanes)
    return vector::LoadOp::create(e.b, VectorType::get({lanes}, element),
                                  memref, ValueRange{index});
  Value result = e.zeroVector(lanes);
  for (int64_t start = 0; start < valid;) {
    int64_t length = floorPowerOfTwo(valid - start);
    Value part =
        vector::LoadOp::create(e.b, VectorType::get({length}, element), memref,
                               ValueRange{e.add(index, start)});
    result = vector::InsertStridedSliceOp::create(
        e.b, part, result, ArrayRef<int64_t>{start}, ArrayRef<int64_t>{1});
    start += length;
  }
  return result;
}

TensorRef memfmt::kernels::joinRows(ImplicitLocOpBuilder &builder,
                                    const TensorRef &tensor, int64_t rows,
                                    int64_t rowLength) {
  auto type = cast<MemRefType>(tensor.memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> sizes(type.getShape());
  unsigned h = tensor.position(2), w = tensor.position(3);
  sizes[h] = rows;
  sizes[w] = rowLength;
  strides[h] = rowLength * strides[w];
  auto joined = MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(builder.getContext(), offset, strides));
  Value view = memref::ReinterpretCastOp::create(builder, joined, tensor.memref,
                                                 offset, sizes, strides);
  return {view, tensor.order};
}

std::pair<Value, Value>
memfmt::kernels::getWindowRows(Emitter &e, const ConvShape &shape, Value ih0) {
  // Row kh reads ih0 + kh * dilation, inside [0, h).
  Value zero = e.constant(0);
  int64_t dilation = shape.dilation[0];
  auto ceilDiv = [&](Value x) {
    return e.div(e.add(x, dilation - 1), dilation);
  };
  Value minus = e.b.createOrFold<arith::SubIOp>(zero, ih0);
  Value left = e.b.createOrFold<arith::SubIOp>(e.constant(shape.h), ih0);
  Value first = ceilDiv(e.max(minus, zero));
  Value last = e.min(ceilDiv(e.max(left, zero)), e.constant(shape.kh));
  return {first, last};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Predicted time of all tiles of one row for one block of channels, in FMA
/// slots: a tile is bound by its multiply-adds or by its loads.
static double getRowCost(int64_t rowLength, int64_t pixels, int64_t vectors) {
  double cost = 0;
  int64_t tiles = llvm::divideCeil(rowLength, pixels);
  for (int64_t i = 0; i < tiles; ++i) {
    int64_t size = rowLength / tiles + (i < rowLength % tiles);
    // Two multiply-adds and two loads start in a cycle; a chain of few
    // accumulators waits for latency.
    double slots = size * vectors, loads = size + vectors;
    cost += std::max({slots, loads, 8.0}) + 0.02 * slots;
  }
  return cost;
}

/// Row lengths to try: the width, or for joined rows the divisors of the number
/// of pixels.
static SmallVector<int64_t> getRowLengths(const ConvShape &shape) {
  if (!shape.isPointwise())
    return {shape.ow};
  SmallVector<int64_t> lengths;
  int64_t pixels = shape.oh * shape.ow;
  for (int64_t length = 1; length <= std::min<int64_t>(pixels, 128); ++length)
    if (pixels % length == 0)
      lengths.push_back(length);
  return lengths;
}

ConvTile memfmt::kernels::chooseConvTile(const ConvShape &shape,
                                         const TargetInfo &target) {
  int64_t needed = llvm::divideCeil(shape.filtersPerGroup(), target.lanes);
  ConvTile best{1, 1, shape.ow, shape.oh, false};
  double bestCost = 0;
  for (int64_t rowLength : getRowLengths(shape))
    for (int64_t vectors = 1; vectors <= 4; ++vectors)
      for (int64_t pixels = 1; pixels <= 16; ++pixels) {
        if (pixels * vectors + vectors + 1 > target.registers)
          continue;
        int64_t rows = shape.oh * shape.ow / rowLength;
        double cost = getRowCost(rowLength, pixels, vectors) * rows *
                      llvm::divideCeil(needed, vectors);
        if (bestCost == 0 || cost < bestCost) {
          bestCost = cost;
          best = {pixels, vectors, rowLength, rows, false};
        }
      }
  double weightBytes =
      4.0 * shape.k * shape.channelsPerGroup() * shape.kh * shape.kw;
  best.blocksOutermost = weightBytes > 128 * 1024;
  return best;
}
