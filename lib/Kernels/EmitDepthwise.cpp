//===- EmitDepthwise.cpp - depthwise convolution, channels-last -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Lanes run along the channels. A tile is some pixels of one row; each input
// vector of a window row is loaded once and serves all pixels that read it.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitConv.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt::kernels;

namespace {
class DepthwiseEmitter {
public:
  DepthwiseEmitter(ImplicitLocOpBuilder &builder, const ConvShape &shape,
                   const TargetInfo &target, const TensorRef &input,
                   Value weights, Value bias, const TensorRef &output,
                   Epilogue epilogue)
      : e(builder), shape(shape), target(target), input(input),
        weights(weights), bias(bias), output(output), epilogue(epilogue) {}

  /// One output row.
  void emitRow(Value n, Value oh);

private:
  void emitTile(Value n, Value oh, Value ow, int64_t start, int64_t pixels);
  void emitLanes(Value n, Value oh, Value ow, Value c, int64_t start,
                 int64_t pixels, int64_t valid);
  SmallVector<Value> accumulateRow(Value n, Value ih, Value iw0, Value kh,
                                   Value c, int64_t start, ValueRange accs,
                                   int64_t valid);
  Value loadChannels(Value memref, SmallVector<Value> index, int64_t valid);
  bool readsInside(int64_t start, int64_t pixels) const;

  Emitter e;
  const ConvShape &shape;
  const TargetInfo &target;
  TensorRef input;
  Value weights, bias;
  TensorRef output;
  Epilogue epilogue;
};
} // namespace

/// Pixels of a tile: as many as the registers carry beside the window's inputs.
static int64_t getTilePixels(const ConvShape &shape, const TargetInfo &target) {
  int64_t most = target.registers >= 32 ? 8 : 6;
  int64_t tiles = llvm::divideCeil(shape.ow, most);
  return llvm::divideCeil(shape.ow, tiles);
}

bool DepthwiseEmitter::readsInside(int64_t start, int64_t pixels) const {
  int64_t first = start * shape.stride[1] - shape.padLow[1];
  int64_t last = (start + pixels - 1) * shape.stride[1] - shape.padLow[1] +
                 (shape.kw - 1) * shape.dilation[1];
  return first >= 0 && last < shape.w;
}

void DepthwiseEmitter::emitRow(Value n, Value oh) {
  int64_t pixels = getTilePixels(shape, target);
  for (int64_t start = 0; start < shape.ow;) {
    int64_t size = std::min(pixels, shape.ow - start), count = 1;
    // Tiles inside the input have the same code: one loop for all of them.
    if (readsInside(start, size))
      while (start + (count + 1) * size <= shape.ow &&
             readsInside(start + count * size, size))
        ++count;
    e.loop(e.constant(start), e.constant(start + count * size), size,
           [&](Value ow) { emitTile(n, oh, ow, start, size); });
    start += count * size;
  }
}

void DepthwiseEmitter::emitTile(Value n, Value oh, Value ow, int64_t start,
                                int64_t pixels) {
  int64_t full = shape.k / target.lanes * target.lanes;
  e.loop(e.constant(0), e.constant(full), target.lanes, [&](Value c) {
    emitLanes(n, oh, ow, c, start, pixels, target.lanes);
  });
  if (full < shape.k)
    emitLanes(n, oh, ow, e.constant(full), start, pixels, shape.k - full);
}

/// A vector of channels; only `valid` of them exist.
Value DepthwiseEmitter::loadChannels(Value memref, SmallVector<Value> index,
                                     int64_t valid) {
  if (valid == target.lanes)
    return vector::LoadOp::create(
        e.b, VectorType::get({valid}, e.b.getF32Type()), memref, index);
  Value result = e.zeroVector(target.lanes);
  for (int64_t lane = 0; lane < valid; ++lane) {
    SmallVector<Value> at = index;
    at.back() = e.add(index.back(), lane);
    result = vector::InsertOp::create(
        e.b, memref::LoadOp::create(e.b, memref, at).getResult(), result,
        ArrayRef<int64_t>{lane});
  }
  return result;
}

void DepthwiseEmitter::emitLanes(Value n, Value oh, Value ow, Value c,
                                 int64_t start, int64_t pixels, int64_t valid) {
  Value first = bias ? loadPart(e, bias, c, valid, target.lanes)
                     : e.zeroVector(target.lanes);
  SmallVector<Value> accs(pixels, first);
  Value ih0 = e.add(e.mul(oh, shape.stride[0]), -shape.padLow[0]);
  Value iw0 = e.add(e.mul(ow, shape.stride[1]), -shape.padLow[1]);
  auto [low, high] = getWindowRows(e, shape, ih0);
  SmallVector<Value> sums =
      e.loop(low, high, 1, accs, [&](Value kh, ValueRange carried) {
        Value ih = e.add(ih0, e.mul(kh, shape.dilation[0]));
        return accumulateRow(n, ih, iw0, kh, c, start, carried, valid);
      });
  for (int64_t m = 0; m < pixels; ++m) {
    Value at[] = {n, c, oh, e.add(ow, m)};
    storeLanes(e, sums[m], valid, output, at, /*laneAxis=*/1, epilogue);
  }
}

SmallVector<Value> DepthwiseEmitter::accumulateRow(Value n, Value ih, Value iw0,
                                                   Value kh, Value c,
                                                   int64_t start,
                                                   ValueRange carried,
                                                   int64_t valid) {
  SmallVector<Value> accs(carried);
  int64_t origin = start * shape.stride[1] - shape.padLow[1];
  SmallVector<Value> taps(shape.kw);
  llvm::DenseMap<int64_t, Value> loaded;
  for (int64_t m = 0, pixels = accs.size(); m < pixels; ++m)
    for (int64_t kw = 0; kw < shape.kw; ++kw) {
      int64_t offset = m * shape.stride[1] + kw * shape.dilation[1];
      if (origin + offset < 0 || origin + offset >= shape.w)
        continue;
      if (!taps[kw])
        taps[kw] = loadChannels(weights, {kh, e.constant(kw), c}, valid);
      Value &pixel = loaded[offset];
      if (!pixel) {
        Value index[] = {n, c, ih, e.add(iw0, offset)};
        pixel = loadChannels(input.memref,
                             llvm::to_vector_of<Value>(input.permute(index)),
                             valid);
      }
      accs[m] = vector::FMAOp::create(e.b, pixel, taps[kw], accs[m]);
    }
  return accs;
}

int64_t memfmt::kernels::getDepthwiseTiles(const ConvShape &shape) {
  return shape.n * shape.oh;
}

void memfmt::kernels::emitDepthwise(ImplicitLocOpBuilder &builder,
                                    const ConvShape &shape,
                                    const TargetInfo &target,
                                    const TensorRef &input, Value weights,
                                    Value bias, const TensorRef &output,
                                    Value lo, Value hi, Epilogue epilogue) {
  Emitter e(builder);
  DepthwiseEmitter emitter(builder, shape, target, input, weights, bias, output,
                           epilogue);
  e.loop(lo, hi, 1, [&](Value piece) {
    emitter.emitRow(e.div(piece, shape.oh), e.rem(piece, shape.oh));
  });
}
