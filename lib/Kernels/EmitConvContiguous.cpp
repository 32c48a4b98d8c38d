//===- EmitConvContiguous.cpp - convolution of row-major images -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Lanes run along the width. A tile is some filters x some vectors of pixels;
// each step loads the pixels of one input channel and broadcasts one weight of
// each filter. Lanes that read outside the input are masked, so that nothing is
// copied and nothing is converted.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitConv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt::kernels;

namespace {
/// Consecutive vectors of pixels of one row that are computed together. Tiles
/// that read inside the input everywhere repeat `count` times.
struct PixelTile {
  int64_t start, vectors, valid, count;
};

class ContiguousEmitter {
public:
  ContiguousEmitter(ImplicitLocOpBuilder &builder, const ConvShape &shape,
                    const TargetInfo &target, const TensorRef &input,
                    Value weights, Value bias, const TensorRef &output,
                    Epilogue epilogue)
      : e(builder), shape(shape), target(target),
        filters(getContiguousFilterTile(shape, target)), input(input),
        weights(weights), bias(bias), output(output), epilogue(epilogue) {}

  /// One row of output pixels for one tile of filters.
  void emitRow(Value n, Value group, Value block, Value oh);

private:
  SmallVector<PixelTile> cutRow() const;
  bool readsInside(int64_t start, int64_t pixels) const;
  void emitTile(Value n, Value group, Value block, Value oh, Value ow,
                const PixelTile &tile);
  SmallVector<Value> accumulate(Value n, Value group, Value block, Value ih,
                                Value iw0, Value kh, const PixelTile &tile,
                                ValueRange accs);
  Value loadPixels(ArrayRef<Value> nchw, int64_t firstRead, int64_t valid);
  void store(Value n, Value group, Value block, Value oh, Value ow,
             const PixelTile &tile, ValueRange sums);

  Emitter e;
  const ConvShape &shape;
  const TargetInfo &target;
  int64_t filters;
  TensorRef input;
  Value weights, bias;
  TensorRef output;
  Epilogue epilogue;
};
} // namespace

/// A pointwise convolution is one on a single long row.
static ConvShape joinShape(const ConvShape &shape) {
  if (!shape.isPointwise())
    return shape;
  ConvShape joined = shape;
  joined.w = joined.ow = shape.oh * shape.ow;
  joined.h = joined.oh = 1;
  return joined;
}

/// Vectors of pixels of a tile beside `filters` accumulators each.
static int64_t getMaxVectors(const TargetInfo &target, int64_t filters) {
  return std::clamp<int64_t>((target.registers - 2) / (filters + 1), 1, 4);
}

int64_t memfmt::kernels::getContiguousFilterTile(const ConvShape &shape,
                                                 const TargetInfo &target) {
  return std::min<int64_t>(shape.filtersPerGroup(), target.registers / 4);
}

bool ContiguousEmitter::readsInside(int64_t start, int64_t pixels) const {
  int64_t first = start * shape.stride[1] - shape.padLow[1];
  // A deinterleaving load reads `stride` elements for each pixel.
  int64_t last = (start + pixels) * shape.stride[1] - 1 - shape.padLow[1] +
                 (shape.kw - 1) * shape.dilation[1];
  return first >= 0 && last < shape.w;
}

SmallVector<PixelTile> ContiguousEmitter::cutRow() const {
  SmallVector<PixelTile> tiles;
  int64_t lanes = target.lanes, most = getMaxVectors(target, filters);
  int64_t left = llvm::divideCeil(shape.ow, lanes);
  for (int64_t start = 0; start < shape.ow;) {
    // Even parts: 7 vectors are 3 + 2 + 2, not 3 + 3 + 1.
    int64_t vectors = llvm::divideCeil(left, llvm::divideCeil(left, most));
    int64_t valid = std::min(vectors * lanes, shape.ow - start);
    bool inside = valid == vectors * lanes && readsInside(start, valid);
    if (inside && !tiles.empty() && tiles.back().vectors == vectors &&
        readsInside(tiles.back().start, tiles.back().valid) &&
        tiles.back().valid == valid)
      ++tiles.back().count;
    else
      tiles.push_back({start, vectors, valid, 1});
    start += valid;
    left -= vectors;
  }
  return tiles;
}

void ContiguousEmitter::emitRow(Value n, Value group, Value block, Value oh) {
  for (const PixelTile &tile : cutRow()) {
    int64_t step = tile.vectors * target.lanes;
    e.loop(e.constant(tile.start), e.constant(tile.start + tile.count * step),
           step, [&](Value ow) { emitTile(n, group, block, oh, ow, tile); });
  }
}

void ContiguousEmitter::emitTile(Value n, Value group, Value block, Value oh,
                                 Value ow, const PixelTile &tile) {
  Value k0 =
      e.add(e.mul(group, shape.filtersPerGroup()), e.mul(block, filters));
  SmallVector<Value> accs;
  for (int64_t k = 0; k < filters; ++k) {
    Value start = e.zeroVector(target.lanes);
    if (bias) {
      // Filters beyond the last read the last bias; they are never stored.
      Value index = e.min(e.add(k0, k), e.constant(shape.k - 1));
      start = e.broadcast(memref::LoadOp::create(e.b, bias, ValueRange{index}),
                          target.lanes);
    }
    accs.append(tile.vectors, start);
  }
  Value ih0 = e.add(e.mul(oh, shape.stride[0]), -shape.padLow[0]);
  Value iw0 = e.add(e.mul(ow, shape.stride[1]), -shape.padLow[1]);
  Value first = e.constant(0), last = e.constant(1);
  if (!shape.isPointwise())
    std::tie(first, last) = getWindowRows(e, shape, ih0);
  SmallVector<Value> sums =
      e.loop(first, last, 1, accs, [&](Value kh, ValueRange carried) {
        Value ih = e.add(ih0, e.mul(kh, shape.dilation[0]));
        return accumulate(n, group, block, ih, iw0, kh, tile, carried);
      });
  store(n, group, block, oh, ow, tile, sums);
}

/// One window row: all columns and all input channels.
SmallVector<Value> ContiguousEmitter::accumulate(Value n, Value group,
                                                 Value block, Value ih,
                                                 Value iw0, Value kh,
                                                 const PixelTile &tile,
                                                 ValueRange carried) {
  Value c0 = e.mul(group, shape.channelsPerGroup());
  bool inside = readsInside(tile.start, tile.valid) &&
                tile.valid == tile.vectors * target.lanes;
  auto column = [&](Value kw, int64_t column, Value c, ValueRange accs) {
    SmallVector<Value> next(accs);
    Value iw = e.add(iw0, e.mul(kw, shape.dilation[1]));
    SmallVector<Value> pixels;
    for (int64_t v = 0; v < tile.vectors; ++v) {
      int64_t offset = v * target.lanes;
      Value index[] = {n, e.add(c0, c), ih,
                       e.add(iw, offset * shape.stride[1])};
      // Known only where the tile does not move.
      int64_t firstRead = inside ? 0
                                 : (tile.start + offset) * shape.stride[1] -
                                       shape.padLow[1] +
                                       column * shape.dilation[1];
      pixels.push_back(loadPixels(
          index, firstRead,
          inside ? -1
                 : std::clamp<int64_t>(tile.valid - offset, 0, target.lanes)));
    }
    for (int64_t k = 0; k < filters; ++k) {
      Value weight = memref::LoadOp::create(
          e.b, weights, ValueRange{group, block, c, kh, kw, e.constant(k)});
      Value splat = e.broadcast(weight, target.lanes);
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value &acc = next[k * tile.vectors + v];
        acc = vector::FMAOp::create(e.b, pixels[v], splat, acc);
      }
    }
    return next;
  };
  auto channel = [&](Value c, ValueRange accs) -> SmallVector<Value> {
    if (inside)
      return e.loop(
          e.constant(0), e.constant(shape.kw), 1, accs,
          [&](Value kw, ValueRange accs) { return column(kw, 0, c, accs); });
    SmallVector<Value> next(accs);
    for (int64_t kw = 0; kw < shape.kw; ++kw)
      next = column(e.constant(kw), kw, c, next);
    return next;
  };
  return e.loop(e.constant(0), e.constant(shape.channelsPerGroup()), 1, carried,
                channel);
}

/// `lanes` pixels at distance `stride` from `nchw`. `firstRead` is the column
/// that the first lane reads; lanes outside [0, w) and from `valid` on are
/// zero. A negative `valid` says that all lanes are inside.
Value ContiguousEmitter::loadPixels(ArrayRef<Value> nchw, int64_t firstRead,
                                    int64_t valid) {
  int64_t lanes = target.lanes, stride = shape.stride[1];
  SmallVector<Value> index = llvm::to_vector_of<Value>(input.permute(nchw));
  auto exists = [&](int64_t lane) {
    int64_t column = firstRead + lane * stride;
    return valid < 0 || (lane < valid && column >= 0 && column < shape.w);
  };
  auto wideType = VectorType::get({lanes * stride}, e.b.getF32Type());
  if (stride <= 2) {
    Value wide;
    if (valid < 0) {
      wide = vector::LoadOp::create(e.b, wideType, input.memref, index);
    } else {
      SmallVector<bool> mask(lanes * stride);
      for (int64_t lane = 0; lane < lanes; ++lane)
        mask[lane * stride] = exists(lane);
      auto maskType = VectorType::get({lanes * stride}, e.b.getI1Type());
      Value bits = arith::ConstantOp::create(
          e.b, DenseElementsAttr::get(maskType, mask));
      Value zero = arith::ConstantOp::create(e.b, e.b.getZeroAttr(wideType));
      wide = vector::MaskedLoadOp::create(e.b, wideType, input.memref, index,
                                          bits, zero);
    }
    if (stride == 1)
      return wide;
    return vector::DeinterleaveOp::create(e.b, wide).getRes1();
  }
  Value result = e.zeroVector(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (!exists(lane))
      continue;
    SmallVector<Value> at = index;
    at.back() = e.add(index.back(), lane * stride);
    result = vector::InsertOp::create(
        e.b, memref::LoadOp::create(e.b, input.memref, at).getResult(), result,
        ArrayRef<int64_t>{lane});
  }
  return result;
}

void ContiguousEmitter::store(Value n, Value group, Value block, Value oh,
                              Value ow, const PixelTile &tile,
                              ValueRange sums) {
  Value first = e.mul(block, filters);
  int64_t tail = shape.filtersPerGroup() % filters;
  for (int64_t k = 0; k < filters; ++k) {
    auto storeFilter = [&] {
      Value channel =
          e.add(e.mul(group, shape.filtersPerGroup()), e.add(first, k));
      for (int64_t v = 0; v < tile.vectors; ++v) {
        int64_t offset = v * target.lanes;
        Value at[] = {n, channel, oh, e.add(ow, offset)};
        storeLanes(e, sums[k * tile.vectors + v],
                   std::min(tile.valid - offset, target.lanes), output, at,
                   /*laneAxis=*/3, epilogue);
      }
    };
    if (tail == 0 || k < tail) {
      storeFilter();
      continue;
    }
    // Padded filters of the last tile are not stored.
    Value exists =
        arith::CmpIOp::create(e.b, arith::CmpIPredicate::slt, e.add(first, k),
                              e.constant(shape.filtersPerGroup()));
    auto branch = scf::IfOp::create(e.b, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    storeFilter();
  }
}

//===----------------------------------------------------------------------===//
// Pieces of work
//===----------------------------------------------------------------------===//

static int64_t getBlocks(const ConvShape &shape, const TargetInfo &target) {
  return shape.groups *
         llvm::divideCeil(shape.filtersPerGroup(),
                          getContiguousFilterTile(shape, target));
}

int64_t memfmt::kernels::getConvContiguousTiles(const ConvShape &shape,
                                                const TargetInfo &target) {
  return shape.n * getBlocks(shape, target) * joinShape(shape).oh;
}

void memfmt::kernels::emitConvContiguous(
    ImplicitLocOpBuilder &builder, const ConvShape &original,
    const TargetInfo &target, const TensorRef &in, Value weights, Value bias,
    const TensorRef &out, Value lo, Value hi, Epilogue epilogue) {
  ConvShape shape = joinShape(original);
  TensorRef input = in, output = out;
  if (original.isPointwise()) {
    input = joinRows(builder, in, shape.h, shape.w);
    output = joinRows(builder, out, shape.oh, shape.ow);
  }
  Emitter e(builder);
  ContiguousEmitter emitter(builder, shape, target, input, weights, bias,
                            output, epilogue);
  int64_t blocks = getBlocks(shape, target), perGroup = blocks / shape.groups;
  e.loop(lo, hi, 1, [&](Value piece) {
    Value oh = e.rem(piece, shape.oh);
    Value rest = e.div(piece, shape.oh);
    Value block = e.rem(rest, blocks);
    emitter.emitRow(e.div(rest, blocks), e.div(block, perGroup),
                    e.rem(block, perGroup), oh);
  });
}
