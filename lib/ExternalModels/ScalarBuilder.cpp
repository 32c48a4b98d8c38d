//===- ScalarBuilder.cpp - scalar arithmetic of any element type -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/ExternalModels/ScalarBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace memfmt;

static bool isFloat(Value x) { return isa<FloatType>(x.getType()); }

template <typename FloatOp, typename IntOp>
static Value binary(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (isFloat(x))
    return FloatOp::create(b, x, y).getResult();
  return IntOp::create(b, x, y).getResult();
}

static Value compare(ImplicitLocOpBuilder &b, arith::CmpFPredicate floats,
                     arith::CmpIPredicate integers, Value x, Value y) {
  if (isFloat(x))
    return arith::CmpFOp::create(b, floats, x, y);
  // False is below true.
  if (x.getType().isInteger(1) && integers == arith::CmpIPredicate::slt)
    integers = arith::CmpIPredicate::ult;
  if (x.getType().isInteger(1) && integers == arith::CmpIPredicate::sle)
    integers = arith::CmpIPredicate::ule;
  return arith::CmpIOp::create(b, integers, x, y);
}

Value ScalarBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value ScalarBuilder::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  // The nearest number of the type.
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width == 1)
    return arith::ConstantOp::create(b, b.getBoolAttr(value != 0));
  double end = std::ldexp(1.0, width - 1);
  APInt integer = value >= end    ? APInt::getSignedMaxValue(width)
                  : value <= -end ? APInt::getSignedMinValue(width)
                  : std::isnan(value)
                      ? APInt::getZero(width)
                      : APInt(width, static_cast<int64_t>(value),
                              /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, integer));
}

Value ScalarBuilder::lowest(Type type) {
  if (auto floats = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        b, b.getFloatAttr(type, APFloat::getInf(floats.getFloatSemantics(),
                                                /*Negative=*/true)));
  if (type.isInteger(1))
    return arith::ConstantOp::create(b, b.getBoolAttr(false));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(type, APInt::getSignedMinValue(width)));
}

Value ScalarBuilder::add(Value x, Value y) {
  if (x.getType().isInteger(1))
    return orOf(x, y);
  return binary<arith::AddFOp, arith::AddIOp>(b, x, y);
}
Value ScalarBuilder::sub(Value x, Value y) {
  return binary<arith::SubFOp, arith::SubIOp>(b, x, y);
}
Value ScalarBuilder::mul(Value x, Value y) {
  return binary<arith::MulFOp, arith::MulIOp>(b, x, y);
}
Value ScalarBuilder::div(Value x, Value y) {
  return binary<arith::DivFOp, arith::FloorDivSIOp>(b, x, y);
}

Value ScalarBuilder::mod(Value x, Value y) {
  if (!isFloat(x))
    return sub(x, mul(div(x, y), y));
  return arith::RemFOp::create(b, x, y);
}

Value ScalarBuilder::max(Value x, Value y) {
  if (x.getType().isInteger(1))
    return orOf(x, y);
  return binary<arith::MaximumFOp, arith::MaxSIOp>(b, x, y);
}

Value ScalarBuilder::min(Value x, Value y) {
  if (x.getType().isInteger(1))
    return andOf(x, y);
  return binary<arith::MinimumFOp, arith::MinSIOp>(b, x, y);
}

Value ScalarBuilder::andOf(Value x, Value y) {
  return arith::AndIOp::create(b, x, y);
}
Value ScalarBuilder::orOf(Value x, Value y) {
  return arith::OrIOp::create(b, x, y);
}
Value ScalarBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

Value ScalarBuilder::eq(Value x, Value y) {
  return compare(b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, x, y);
}
Value ScalarBuilder::ne(Value x, Value y) {
  return compare(b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, x, y);
}
Value ScalarBuilder::lt(Value x, Value y) {
  return compare(b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, x, y);
}
Value ScalarBuilder::le(Value x, Value y) {
  return compare(b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, x, y);
}

Value ScalarBuilder::convert(Value x, Type type) {
  Type from = x.getType();
  if (from == type)
    return x;
  if (type.isInteger(1))
    return ne(x, constant(from, 0));
  if (from.isIndex() || type.isIndex()) {
    if (!isa<FloatType>(from) && !isa<FloatType>(type))
      return arith::IndexCastOp::create(b, type, x);
    Type i64 = b.getI64Type();
    return convert(convert(x, i64), type);
  }
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    unsigned a = from.getIntOrFloatBitWidth(), c = type.getIntOrFloatBitWidth();
    if (a < c)
      return arith::ExtFOp::create(b, type, x);
    if (a > c)
      return arith::TruncFOp::create(b, type, x);
    // f16 and bf16: through the type that holds both.
    return convert(convert(x, b.getF32Type()), type);
  }
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(b, type, x);
  bool truth = from.isInteger(1);
  if (isa<FloatType>(type)) {
    if (truth)
      return arith::UIToFPOp::create(b, type, x);
    return arith::SIToFPOp::create(b, type, x);
  }
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, type, x);
  if (truth)
    return arith::ExtUIOp::create(b, type, x);
  return arith::ExtSIOp::create(b, type, x);
}

Value ScalarBuilder::inside(Value x, Value size) {
  return andOf(le(index(0), x), lt(x, size));
}

SmallVector<Value> ScalarBuilder::loop(Value lower, Value upper,
                                       ValueRange initial, LoopBody body) {
  auto op = scf::ForOp::create(b, lower, upper, index(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  // A loop that carries nothing has its terminator already.
  if (!initial.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(op.getResults());
}

SmallVector<Value> ScalarBuilder::nest(ValueRange sizes, ValueRange initial,
                                       NestBody body) {
  SmallVector<Value> indices;
  std::function<SmallVector<Value>(ValueRange)> descend =
      [&](ValueRange carried) {
        if (indices.size() == sizes.size())
          return body(indices, carried);
        return loop(index(0), sizes[indices.size()], carried,
                    [&](Value i, ValueRange inner) {
                      indices.push_back(i);
                      SmallVector<Value> next = descend(inner);
                      indices.pop_back();
                      return next;
                    });
      };
  return descend(initial);
}

Value ScalarBuilder::guarded(Value condition, llvm::function_ref<Value()> then,
                             Value otherwise) {
  auto op = scf::IfOp::create(b, TypeRange{otherwise.getType()}, condition,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return op.getResult(0);
}
