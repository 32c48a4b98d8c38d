//===- EmitCommon.cpp - what emitters of vector code share ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitCommon.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace memfmt::kernels;

//===----------------------------------------------------------------------===//
// TensorRef
//===----------------------------------------------------------------------===//

SmallVector<Value, 4> TensorRef::permute(ArrayRef<Value> nchw) const {
  SmallVector<Value, 4> physical;
  for (unsigned axis : order)
    physical.push_back(nchw[axis]);
  return physical;
}

unsigned TensorRef::position(unsigned axis) const {
  return llvm::find(order, axis) - order.begin();
}

int64_t TensorRef::size(unsigned axis) const {
  return cast<MemRefType>(memref.getType()).getDimSize(position(axis));
}

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

Value Emitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value Emitter::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}

Value Emitter::add(Value x, int64_t y) {
  return y == 0 ? x : b.createOrFold<arith::AddIOp>(x, constant(y));
}

Value Emitter::mul(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::MulIOp>(x, constant(y));
}

Value Emitter::div(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(x, constant(y));
}

Value Emitter::rem(Value x, int64_t y) {
  return y == 1 ? constant(0) : b.createOrFold<arith::RemUIOp>(x, constant(y));
}

Value Emitter::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}

Value Emitter::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}

Value Emitter::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value Emitter::zeroVector(int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getF32Type());
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

void Emitter::loop(Value lo, Value hi, int64_t step, Body body) {
  auto low = getConstantIntValue(lo), high = getConstantIntValue(hi);
  if (low && high && *low >= *high)
    return;
  if (low && high && *high <= *low + step)
    return body(lo);
  auto loop = scf::ForOp::create(b, lo, hi, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> Emitter::loop(Value lo, Value hi, int64_t step,
                                 ValueRange init, CarriedBody body) {
  auto low = getConstantIntValue(lo), high = getConstantIntValue(hi);
  if (low && high && *low >= *high)
    return init;
  if (low && high && *high <= *low + step)
    return body(lo, init);
  auto loop = scf::ForOp::create(b, lo, hi, constant(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// Loads and tiles
//===----------------------------------------------------------------------===//

Value memfmt::kernels::loadLanes(OpBuilder &builder, Location loc,
                                 const TensorRef &tensor, ArrayRef<Value> nchw,
                                 unsigned laneAxis, int64_t lanes) {
  ImplicitLocOpBuilder b(loc, builder);
  Emitter e(b);
  SmallVector<Value> index(nchw);
  for (unsigned axis = 0; axis < 4; ++axis)
    if (tensor.size(axis) == 1)
      index[axis] = e.constant(0);
  auto loadScalar = [&](int64_t lane) -> Value {
    SmallVector<Value> at = index;
    at[laneAxis] = e.add(index[laneAxis], lane);
    return memref::LoadOp::create(b, tensor.memref, tensor.permute(at));
  };
  auto type = cast<MemRefType>(tensor.memref.getType());
  bool varies = tensor.size(laneAxis) != 1;
  if (lanes == 0 || !varies) {
    Value scalar = loadScalar(0);
    return lanes == 0 ? scalar : e.broadcast(scalar, lanes);
  }
  auto vectorType = VectorType::get({lanes}, type.getElementType());
  auto [strides, offset] = type.getStridesAndOffset();
  // All axes inside the lane axis have size 1: lanes lie side by side.
  if (strides[tensor.position(laneAxis)] == 1) {
    unsigned position = tensor.position(laneAxis);
    if (position == 3)
      return vector::LoadOp::create(b, vectorType, tensor.memref,
                                    tensor.permute(index));
  }
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  for (int64_t lane = 0; lane < lanes; ++lane)
    result = vector::InsertOp::create(b, loadScalar(lane), result,
                                      ArrayRef<int64_t>{lane});
  return result;
}

SmallVector<TileRun> memfmt::kernels::splitIntoTiles(int64_t total,
                                                     ArrayRef<int64_t> sizes) {
  SmallVector<TileRun> runs;
  int64_t start = 0;
  for (int64_t size : sizes) {
    int64_t count = (total - start) / size;
    if (count > 0)
      runs.push_back({start, size, count});
    start += count * size;
  }
  return runs;
}
