//===- EmitConvDirect.cpp - convolution into channels-last ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A tile of pixels x vectors of channels stays in registers while the window
// and the input channels are walked. Each step loads the weights of one input
// channel and broadcasts one element of each pixel. Nothing is copied: at the
// borders, window rows are cut by loop bounds and window columns by tiles of
// their own.
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
/// For each window column the pixels of a tile that read inside the input.
using Columns = SmallVector<SmallVector<int64_t>>;

/// Neighbouring tiles of one row with the same code.
struct TileGroup {
  int64_t start, pixels, count;
  Columns columns;
};

/// Values that are fixed while one row of one block of channels is emitted.
struct Row {
  Value n, group, block, oh;
  /// First channel of the block within the result.
  Value k0;
  /// Channels of the block that exist.
  int64_t channels;
};

class DirectEmitter {
public:
  DirectEmitter(ImplicitLocOpBuilder &builder, const ConvShape &shape,
                const TargetInfo &target, Epilogue epilogue)
      : e(builder), shape(shape), target(target),
        tile(chooseConvTile(shape, target)), epilogue(epilogue) {}

  void emit(const TensorRef &in, Value packed, Value biases,
            const TensorRef &out, Value lo, Value hi);

private:
  int64_t blockSize() const { return tile.vectors * target.lanes; }
  int64_t numBlocks() const {
    return llvm::divideCeil(shape.filtersPerGroup(), blockSize());
  }
  void emitPiece(Value piece);
  void emitRow(const Row &row);
  SmallVector<TileGroup> groupTiles() const;
  void emitTile(const Row &row, Value ow, int64_t pixels,
                const Columns &columns);
  SmallVector<Value> initialAccumulators(const Row &row, int64_t pixels);
  SmallVector<Value> accumulateChannels(const Row &row, ValueRange accs,
                                        Value kh, Value kw, Value ih, Value iw,
                                        ArrayRef<int64_t> pixels);
  void storeTile(const Row &row, Value ow, int64_t pixels, ValueRange accs);
  /// Vectors of a row's block.
  int64_t vectorsOf(const Row &row) const {
    return llvm::divideCeil(row.channels, target.lanes);
  }

  Emitter e;
  const ConvShape &shape;
  const TargetInfo &target;
  ConvTile tile;
  Epilogue epilogue;
  TensorRef input, output;
  Value weights, bias;
};
} // namespace

void DirectEmitter::emit(const TensorRef &in, Value packed, Value biases,
                         const TensorRef &out, Value lo, Value hi) {
  input = in;
  output = out;
  weights = packed;
  bias = biases;
  if (shape.isPointwise()) {
    input = joinRows(e.b, in, tile.rows, tile.rowLength);
    output = joinRows(e.b, out, tile.rows, tile.rowLength);
  }
  e.loop(lo, hi, 1, [&](Value piece) { emitPiece(piece); });
}

/// Decodes the number of a piece of work: image, group, block of channels and
/// row, in one of two orders.
void DirectEmitter::emitPiece(Value piece) {
  int64_t blocks = numBlocks() * shape.groups;
  Row row;
  Value block;
  if (tile.blocksOutermost) {
    row.oh = e.rem(piece, tile.rows);
    Value rest = e.div(piece, tile.rows);
    block = e.rem(rest, blocks);
    row.n = e.div(rest, blocks);
  } else {
    block = e.rem(piece, blocks);
    Value rest = e.div(piece, blocks);
    row.oh = e.rem(rest, tile.rows);
    row.n = e.div(rest, tile.rows);
  }
  row.group = e.div(block, numBlocks());
  row.block = e.rem(block, numBlocks());
  row.k0 = e.add(e.mul(row.group, shape.filtersPerGroup()),
                 e.mul(row.block, blockSize()));
  int64_t tail = shape.filtersPerGroup() % blockSize();
  row.channels = numBlocks() == 1 && tail ? tail : blockSize();
  if (tail == 0 || numBlocks() == 1)
    return emitRow(row);
  // The last block of a group has fewer channels.
  Value last = e.constant(numBlocks() - 1);
  Value isLast =
      arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, row.block, last);
  auto branch = scf::IfOp::create(e.b, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(branch.thenBlock());
  row.channels = tail;
  emitRow(row);
  e.b.setInsertionPointToStart(branch.elseBlock());
  row.channels = blockSize();
  emitRow(row);
}

/// Cuts a row into tiles of nearly equal size and joins neighbours that have
/// the same columns.
SmallVector<TileGroup> DirectEmitter::groupTiles() const {
  SmallVector<TileGroup> groups;
  int64_t tiles = llvm::divideCeil(tile.rowLength, tile.pixels), start = 0;
  for (int64_t i = 0; i < tiles; ++i) {
    int64_t pixels = tile.rowLength / tiles + (i < tile.rowLength % tiles);
    Columns columns(shape.kw);
    for (int64_t kw = 0; kw < shape.kw; ++kw)
      for (int64_t m = 0; m < pixels; ++m) {
        int64_t iw = (start + m) * shape.stride[1] - shape.padLow[1] +
                     kw * shape.dilation[1];
        if (shape.isPointwise() || (iw >= 0 && iw < shape.w))
          columns[kw].push_back(m);
      }
    if (!groups.empty() && groups.back().pixels == pixels &&
        groups.back().columns == columns)
      ++groups.back().count;
    else
      groups.push_back({start, pixels, 1, columns});
    start += pixels;
  }
  return groups;
}

void DirectEmitter::emitRow(const Row &row) {
  for (const TileGroup &group : groupTiles()) {
    Value first = e.constant(group.start);
    Value end = e.constant(group.start + group.count * group.pixels);
    e.loop(first, end, group.pixels,
           [&](Value ow) { emitTile(row, ow, group.pixels, group.columns); });
  }
}

SmallVector<Value> DirectEmitter::initialAccumulators(const Row &row,
                                                      int64_t pixels) {
  SmallVector<Value> start;
  for (int64_t v = 0; v < vectorsOf(row); ++v)
    start.push_back(bias ? loadPart(e, bias, e.add(row.k0, v * target.lanes),
                                    row.channels - v * target.lanes,
                                    target.lanes)
                         : e.zeroVector(target.lanes));
  SmallVector<Value> accs;
  for (int64_t m = 0; m < pixels; ++m)
    llvm::append_range(accs, start);
  return accs;
}

void DirectEmitter::emitTile(const Row &row, Value ow, int64_t pixels,
                             const Columns &columns) {
  SmallVector<Value> accs = initialAccumulators(row, pixels);
  Value iw0 = e.add(e.mul(ow, shape.stride[1]), -shape.padLow[1]);
  Value ih0 = e.add(e.mul(row.oh, shape.stride[0]), -shape.padLow[0]);
  Value first = e.constant(0), last = e.constant(1);
  if (!shape.isPointwise())
    std::tie(first, last) = getWindowRows(e, shape, ih0);

  bool inside = llvm::all_of(columns, [&](const auto &active) {
    return static_cast<int64_t>(active.size()) == pixels;
  });
  SmallVector<Value> result =
      e.loop(first, last, 1, accs, [&](Value kh, ValueRange carried) {
        Value ih = e.add(ih0, e.mul(kh, shape.dilation[0]));
        if (inside)
          return e.loop(e.constant(0), e.constant(shape.kw), 1, carried,
                        [&](Value kw, ValueRange accs) {
                          Value iw = e.add(iw0, e.mul(kw, shape.dilation[1]));
                          return accumulateChannels(row, accs, kh, kw, ih, iw,
                                                    columns.front());
                        });
        SmallVector<Value> accs(carried);
        for (int64_t kw = 0; kw < shape.kw; ++kw)
          if (!columns[kw].empty())
            accs = accumulateChannels(row, accs, kh, e.constant(kw), ih,
                                      e.add(iw0, kw * shape.dilation[1]),
                                      columns[kw]);
        return accs;
      });
  storeTile(row, ow, pixels, result);
}

/// The sum over the input channels for one place of the window.
SmallVector<Value> DirectEmitter::accumulateChannels(const Row &row,
                                                     ValueRange accs, Value kh,
                                                     Value kw, Value ih,
                                                     Value iw,
                                                     ArrayRef<int64_t> pixels) {
  int64_t channels = shape.channelsPerGroup(), vectors = vectorsOf(row);
  int64_t unroll = channels <= 4       ? channels
                   : channels % 4 == 0 ? 4
                   : channels % 2 == 0 ? 2
                                       : 1;
  Value c0 = e.mul(row.group, channels);
  auto vectorType = VectorType::get({target.lanes}, e.b.getF32Type());
  auto step = [&](Value c, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < unroll; ++u) {
      Value cu = e.add(c, u);
      SmallVector<Value> lanes;
      for (int64_t v = 0; v < vectors; ++v)
        lanes.push_back(
            vector::LoadOp::create(e.b, vectorType, weights,
                                   ValueRange{row.group, row.block, kh, kw, cu,
                                              e.constant(v * target.lanes)}));
      for (int64_t m : pixels) {
        Value index[] = {row.n, e.add(c0, cu), ih,
                         e.add(iw, m * shape.stride[1])};
        Value x =
            memref::LoadOp::create(e.b, input.memref, input.permute(index));
        Value splat = e.broadcast(x, target.lanes);
        for (int64_t v = 0; v < vectors; ++v)
          next[m * vectors + v] = vector::FMAOp::create(e.b, splat, lanes[v],
                                                        next[m * vectors + v]);
      }
    }
    return next;
  };
  return e.loop(e.constant(0), e.constant(channels), unroll, accs, step);
}

void DirectEmitter::storeTile(const Row &row, Value ow, int64_t pixels,
                              ValueRange accs) {
  int64_t vectors = vectorsOf(row);
  for (int64_t m = 0; m < pixels; ++m)
    for (int64_t v = 0; v < vectors; ++v) {
      Value at[] = {row.n, e.add(row.k0, v * target.lanes), row.oh,
                    e.add(ow, m)};
      storeLanes(e, accs[m * vectors + v], row.channels - v * target.lanes,
                 output, at, /*laneAxis=*/1, epilogue);
    }
}

int64_t memfmt::kernels::getConvDirectTiles(const ConvShape &shape,
                                            const TargetInfo &target) {
  ConvTile tile = chooseConvTile(shape, target);
  int64_t blocks =
      llvm::divideCeil(shape.filtersPerGroup(), tile.vectors * target.lanes);
  return shape.n * shape.groups * blocks * tile.rows;
}

void memfmt::kernels::emitConvDirect(ImplicitLocOpBuilder &builder,
                                     const ConvShape &shape,
                                     const TargetInfo &target,
                                     const TensorRef &input, Value weights,
                                     Value bias, const TensorRef &output,
                                     Value lo, Value hi, Epilogue epilogue) {
  DirectEmitter(builder, shape, target, epilogue)
      .emit(input, weights, bias, output, lo, hi);
}
