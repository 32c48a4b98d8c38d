//===- EmitElementwise.cpp - element-wise loops -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitElementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt::kernels;

/// Elements of one piece of work of a flat loop.
static constexpr int64_t kChunk = 8192;

/// All operands are dense and run alike: one loop over all elements.
static bool isFlat(MemRefType output, ArrayRef<SmallVector<int64_t>> dims) {
  if (!output.getLayout().isIdentity())
    return false;
  for (const SmallVector<int64_t> &map : dims) {
    if (static_cast<int64_t>(map.size()) != output.getRank())
      return false;
    for (auto [i, dim] : llvm::enumerate(map))
      if (dim != static_cast<int64_t>(i))
        return false;
  }
  return true;
}

int64_t
memfmt::kernels::getElementwiseTiles(MemRefType output,
                                     ArrayRef<SmallVector<int64_t>> dims) {
  if (isFlat(output, dims))
    return llvm::divideCeil(output.getNumElements(), kChunk);
  int64_t pieces = 1;
  for (int64_t i = 0; i + 1 < output.getRank(); ++i)
    pieces *= output.getDimSize(i);
  return pieces;
}

namespace {
class ElementwiseEmitter {
public:
  ElementwiseEmitter(ImplicitLocOpBuilder &builder, const TargetInfo &target,
                     ArrayRef<ElementwiseInput> inputs, Value output,
                     ElementwiseBody body)
      : e(builder), target(target), inputs(inputs), output(output), body(body) {
  }

  /// Elements [first, last) of the last dimension, the others at `outer`.
  void emitRow(ArrayRef<Value> outer, Value first, Value last, int64_t length);
  /// Elements at `index`: a vector, or one scalar for 0 lanes.
  void emitLanes(ArrayRef<Value> index, int64_t lanes);

private:
  Value load(const ElementwiseInput &input, ArrayRef<Value> index,
             int64_t lanes);

  Emitter e;
  const TargetInfo &target;
  ArrayRef<ElementwiseInput> inputs;
  Value output;
  ElementwiseBody body;
};
} // namespace

Value ElementwiseEmitter::load(const ElementwiseInput &input,
                               ArrayRef<Value> index, int64_t lanes) {
  auto type = cast<MemRefType>(input.memref.getType());
  int64_t laneDim = index.size() - 1, position = -1;
  SmallVector<Value> at;
  for (auto [i, dim] : llvm::enumerate(input.dims)) {
    at.push_back(dim < 0 ? e.constant(0) : index[dim]);
    if (dim == laneDim)
      position = i;
  }
  if (lanes == 0)
    return memref::LoadOp::create(e.b, input.memref, at);
  if (position < 0)
    return e.broadcast(memref::LoadOp::create(e.b, input.memref, at), lanes);
  auto vectorType = VectorType::get({lanes}, type.getElementType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (position == type.getRank() - 1 && strides[position] == 1)
    return vector::LoadOp::create(e.b, vectorType, input.memref, at);
  Value result = arith::ConstantOp::create(e.b, e.b.getZeroAttr(vectorType));
  Value start = at[position];
  for (int64_t lane = 0; lane < lanes; ++lane) {
    at[position] = e.add(start, lane);
    result = vector::InsertOp::create(
        e.b, memref::LoadOp::create(e.b, input.memref, at).getResult(), result,
        ArrayRef<int64_t>{lane});
  }
  return result;
}

void ElementwiseEmitter::emitLanes(ArrayRef<Value> index, int64_t lanes) {
  SmallVector<Value> elements;
  for (const ElementwiseInput &input : inputs)
    elements.push_back(load(input, index, lanes));
  Value result = body(e.b, e.b.getLoc(), elements);
  if (lanes == 0) {
    memref::StoreOp::create(e.b, result, output, index);
    return;
  }
  // A body that reads nothing gives scalars.
  if (!isa<VectorType>(result.getType()))
    result = e.broadcast(result, lanes);
  vector::StoreOp::create(e.b, result, output, index);
}

void ElementwiseEmitter::emitRow(ArrayRef<Value> outer, Value first, Value last,
                                 int64_t length) {
  auto at = [&](Value i) {
    SmallVector<Value> index(outer);
    index.push_back(i);
    return index;
  };
  Value middle = first;
  if (length >= target.lanes) {
    Value count = e.b.createOrFold<arith::SubIOp>(last, first);
    middle = e.add(first, e.mul(e.div(count, target.lanes), target.lanes));
    e.loop(first, middle, target.lanes,
           [&](Value i) { emitLanes(at(i), target.lanes); });
  }
  e.loop(middle, last, 1, [&](Value i) { emitLanes(at(i), 0); });
}

/// A dense buffer as one dimension.
static Value flatten(Emitter &e, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t size = type.getNumElements();
  return memref::ReinterpretCastOp::create(
      e.b, MemRefType::get({size}, type.getElementType()), memref, 0,
      ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

void memfmt::kernels::emitElementwise(ImplicitLocOpBuilder &builder,
                                      const TargetInfo &target,
                                      ArrayRef<ElementwiseInput> inputs,
                                      Value output, Value lo, Value hi,
                                      ElementwiseBody body) {
  Emitter e(builder);
  auto type = cast<MemRefType>(output.getType());
  SmallVector<SmallVector<int64_t>> dims;
  bool dense = true;
  for (const ElementwiseInput &input : inputs) {
    dims.push_back(input.dims);
    dense &= cast<MemRefType>(input.memref.getType()).getLayout().isIdentity();
  }
  if (type.getRank() == 0) {
    ElementwiseEmitter(builder, target, inputs, output, body).emitLanes({}, 0);
    return;
  }
  if (dense && isFlat(type, dims)) {
    SmallVector<ElementwiseInput> flat;
    for (const ElementwiseInput &input : inputs)
      flat.push_back({flatten(e, input.memref), {0}});
    ElementwiseEmitter emitter(builder, target, flat, flatten(e, output), body);
    int64_t size = type.getNumElements();
    e.loop(lo, hi, 1, [&](Value piece) {
      Value first = e.mul(piece, kChunk);
      Value last = e.min(e.add(first, kChunk), e.constant(size));
      emitter.emitRow({}, first, last, std::min(size, kChunk));
    });
    return;
  }
  ElementwiseEmitter emitter(builder, target, inputs, output, body);
  bool chunked = isFlat(type, dims);
  auto emitPiece = [&](Value piece) {
    SmallVector<Value> outer(type.getRank() - 1);
    for (int64_t i = type.getRank() - 2; i >= 0; --i) {
      outer[i] = e.rem(piece, type.getDimSize(i));
      piece = e.div(piece, type.getDimSize(i));
    }
    int64_t length = type.getShape().back();
    emitter.emitRow(outer, e.constant(0), e.constant(length), length);
  };
  if (!chunked)
    return e.loop(lo, hi, 1, emitPiece);
  // Dimensions run alike, but an input is strided: the number of pieces was
  // that of the flat loop. Piece 0 does all rows.
  Value none = e.constant(0);
  int64_t rows =
      type.getNumElements() / std::max<int64_t>(type.getShape().back(), 1);
  Value first = e.min(lo, e.constant(1));
  Value last = e.min(hi, e.constant(1));
  e.loop(first, last, 1,
         [&](Value) { e.loop(none, e.constant(rows), 1, emitPiece); });
}
