//===- EmitPool.cpp - vector code for pooling -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitPool.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace memfmt::kernels;

namespace {
class PoolEmitter {
public:
  PoolEmitter(ImplicitLocOpBuilder &builder, const ConvShape &shape,
              PoolReduction reduction, const TargetInfo &target,
              const TensorRef &input, const TensorRef &output,
              Epilogue epilogue)
      : e(builder), shape(shape), reduction(reduction), target(target),
        input(input), output(output), epilogue(epilogue) {}

  void emitChannelsLastRow(Value n, Value oh);
  void emitContiguousRow(Value n, Value c, Value oh);

private:
  /// `lanes` results from `nchw` along `laneAxis`; 0 lanes is one scalar.
  void emitLanes(ArrayRef<Value> nchw, unsigned laneAxis, int64_t lanes);
  Value load(ArrayRef<Value> nchw, unsigned laneAxis, int64_t lanes);
  Value initial(int64_t lanes);
  Value combine(Value acc, Value element);
  Value finish(Value acc, Value count, int64_t lanes);
  std::pair<Value, Value> getWindowColumns(Value iw0);
  /// First and last + 1 pixel of a row whose whole window lies inside.
  std::pair<int64_t, int64_t> getInnerPixels() const;

  Emitter e;
  const ConvShape &shape;
  PoolReduction reduction;
  const TargetInfo &target;
  TensorRef input, output;
  Epilogue epilogue;
};
} // namespace

void PoolEmitter::emitChannelsLastRow(Value n, Value oh) {
  int64_t full = shape.c / target.lanes * target.lanes;
  e.loop(e.constant(0), e.constant(shape.ow), 1, [&](Value ow) {
    e.loop(e.constant(0), e.constant(full), target.lanes, [&](Value c) {
      emitLanes({n, c, oh, ow}, /*laneAxis=*/1, target.lanes);
    });
    e.loop(e.constant(full), e.constant(shape.c), 1, [&](Value c) {
      emitLanes({n, c, oh, ow}, /*laneAxis=*/1, /*lanes=*/0);
    });
  });
}

std::pair<int64_t, int64_t> PoolEmitter::getInnerPixels() const {
  auto inside = [&](int64_t ow) {
    int64_t first = ow * shape.stride[1] - shape.padLow[1];
    // Vector loads read `stride` elements for each pixel.
    int64_t last =
        first + (shape.kw - 1) * shape.dilation[1] + shape.stride[1] - 1;
    return first >= 0 && last < shape.w;
  };
  int64_t first = 0;
  while (first < shape.ow && !inside(first))
    ++first;
  int64_t last = first;
  while (last < shape.ow && inside(last))
    ++last;
  return {first, last};
}

void PoolEmitter::emitContiguousRow(Value n, Value c, Value oh) {
  auto [first, last] = getInnerPixels();
  int64_t lanes = target.lanes;
  if (shape.stride[1] > 2)
    last = first;
  last = first + (last - first) / lanes * lanes;
  auto scalars = [&](int64_t from, int64_t to) {
    e.loop(e.constant(from), e.constant(to), 1, [&](Value ow) {
      emitLanes({n, c, oh, ow}, /*laneAxis=*/3, /*lanes=*/0);
    });
  };
  scalars(0, first);
  e.loop(e.constant(first), e.constant(last), lanes,
         [&](Value ow) { emitLanes({n, c, oh, ow}, /*laneAxis=*/3, lanes); });
  scalars(last, shape.ow);
}

Value PoolEmitter::initial(int64_t lanes) {
  float value = reduction == PoolReduction::Max
                    ? -std::numeric_limits<float>::infinity()
                    : 0.0f;
  Value scalar = arith::ConstantOp::create(e.b, e.b.getF32FloatAttr(value));
  return lanes == 0 ? scalar : e.broadcast(scalar, lanes);
}

Value PoolEmitter::combine(Value acc, Value element) {
  if (reduction == PoolReduction::Max)
    return arith::MaximumFOp::create(e.b, acc, element);
  return arith::AddFOp::create(e.b, acc, element);
}

Value PoolEmitter::finish(Value acc, Value count, int64_t lanes) {
  if (reduction == PoolReduction::Max || reduction == PoolReduction::Sum)
    return acc;
  Value integer = arith::IndexCastOp::create(e.b, e.b.getI32Type(), count);
  Value divisor = arith::SIToFPOp::create(e.b, e.b.getF32Type(), integer);
  if (lanes != 0)
    divisor = e.broadcast(divisor, lanes);
  return arith::DivFOp::create(e.b, acc, divisor);
}

std::pair<Value, Value> PoolEmitter::getWindowColumns(Value iw0) {
  ConvShape turned = shape;
  turned.h = shape.w;
  turned.kh = shape.kw;
  turned.dilation[0] = shape.dilation[1];
  return getWindowRows(e, turned, iw0);
}

/// Elements at distance `stride` along the width, or side by side channels.
Value PoolEmitter::load(ArrayRef<Value> nchw, unsigned laneAxis,
                        int64_t lanes) {
  if (laneAxis == 1 || lanes == 0 || shape.stride[1] == 1)
    return loadLanes(e.b, e.b.getLoc(), input, nchw, laneAxis, lanes);
  Value wide = loadLanes(e.b, e.b.getLoc(), input, nchw, laneAxis, 2 * lanes);
  return vector::DeinterleaveOp::create(e.b, wide).getRes1();
}

void PoolEmitter::emitLanes(ArrayRef<Value> nchw, unsigned laneAxis,
                            int64_t lanes) {
  Value ih0 = e.add(e.mul(nchw[2], shape.stride[0]), -shape.padLow[0]);
  Value iw0 = e.add(e.mul(nchw[3], shape.stride[1]), -shape.padLow[1]);
  auto [rowLow, rowHigh] = getWindowRows(e, shape, ih0);
  // Lanes along the width are used only where the whole window is inside.
  Value columnLow = e.constant(0), columnHigh = e.constant(shape.kw);
  if (laneAxis == 1 || lanes == 0)
    std::tie(columnLow, columnHigh) = getWindowColumns(iw0);

  SmallVector<Value> sum = e.loop(
      rowLow, rowHigh, 1, ValueRange{initial(lanes)},
      [&](Value kh, ValueRange carried) {
        Value ih = e.add(ih0, e.mul(kh, shape.dilation[0]));
        return e.loop(columnLow, columnHigh, 1, carried,
                      [&](Value kw, ValueRange carried) {
                        Value iw = e.add(iw0, e.mul(kw, shape.dilation[1]));
                        Value index[] = {nchw[0], nchw[1], ih, iw};
                        return SmallVector<Value>{
                            combine(carried[0], load(index, laneAxis, lanes))};
                      });
      });
  Value count = e.constant(shape.kh * shape.kw);
  if (reduction == PoolReduction::AverageExcludingPad) {
    Value rows = e.b.createOrFold<arith::SubIOp>(rowHigh, rowLow);
    Value columns = e.b.createOrFold<arith::SubIOp>(columnHigh, columnLow);
    count = e.b.createOrFold<arith::MulIOp>(rows, columns);
  }
  Value result = finish(sum[0], count, lanes);
  if (lanes != 0)
    return storeLanes(e, result, lanes, output, nchw, laneAxis, epilogue);
  result = epilogue(e.b, e.b.getLoc(), result, nchw, laneAxis);
  memref::StoreOp::create(e.b, result, output.memref, output.permute(nchw));
}

int64_t memfmt::kernels::getPoolTiles(const ConvShape &shape,
                                      bool channelsLast) {
  return shape.n * shape.oh * (channelsLast ? 1 : shape.c);
}

void memfmt::kernels::emitPool(ImplicitLocOpBuilder &builder,
                               const ConvShape &shape, PoolReduction reduction,
                               const TargetInfo &target, const TensorRef &input,
                               const TensorRef &output, Value lo, Value hi,
                               Epilogue epilogue) {
  Emitter e(builder);
  PoolEmitter emitter(builder, shape, reduction, target, input, output,
                      epilogue);
  bool channelsLast = output.order[3] == 1;
  e.loop(lo, hi, 1, [&](Value piece) {
    Value oh = e.rem(piece, shape.oh), rest = e.div(piece, shape.oh);
    if (channelsLast)
      emitter.emitChannelsLastRow(rest, oh);
    else
      emitter.emitContiguousRow(e.div(rest, shape.c), e.rem(rest, shape.c), oh);
  });
}
