//===- ConstantEvaluatorFloat.cpp - scalar floats ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace memfmt;

/// An operation whose operands and result are floats of one type.
template <unsigned Arity, typename Fn>
static ConstantEvaluators::ScalarBinder bindFloat(Fn fn) {
  return [fn](Operation *op) -> ScalarFunction {
    Type type = getResultElementType(op);
    if (!isFloat(type))
      return {};
    if (type.isF64())
      return applyScalars<Arity, double, double>(type, fn);
    return applyScalars<Arity, float, float>(type, fn);
  };
}

/// IEEE 754 maximum and minimum: NaN wins, -0 is below +0.
template <typename T> static T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
}
template <typename T> static T minimum(T a, T b) { return -maximum(-a, -b); }

template <typename T>
static bool compare(arith::CmpFPredicate predicate, T a, T b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::UEQ:
    return unordered || a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::UNE:
    return a != b;
  case P::OGT:
    return a > b;
  case P::UGT:
    return unordered || a > b;
  case P::OGE:
    return a >= b;
  case P::UGE:
    return unordered || a >= b;
  case P::OLT:
    return a < b;
  case P::ULT:
    return unordered || a < b;
  case P::OLE:
    return a <= b;
  case P::ULE:
    return unordered || a <= b;
  }
  return false;
}

static ScalarFunction bindCmpF(Operation *op) {
  Type type = getOperandElementType(op, 0);
  if (!isFloat(type))
    return {};
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  auto fn = [predicate](auto a, auto b) -> int64_t {
    return -compare(predicate, a, b);
  };
  Type result = getResultElementType(op);
  if (type.isF64())
    return applyScalars<2, int64_t, double>(result, fn);
  return applyScalars<2, int64_t, float>(result, fn);
}

static void addArithmetic(ConstantEvaluators &evaluators) {
  auto addBinary = [&](StringRef name, auto fn) {
    evaluators.addScalar(name, bindFloat<2>(fn));
  };
  addBinary("arith.addf", [](auto a, auto b) { return a + b; });
  addBinary("arith.subf", [](auto a, auto b) { return a - b; });
  addBinary("arith.mulf", [](auto a, auto b) { return a * b; });
  addBinary("arith.divf", [](auto a, auto b) { return a / b; });
  addBinary("arith.remf", [](auto a, auto b) { return std::fmod(a, b); });
  addBinary("arith.maximumf", [](auto a, auto b) { return maximum(a, b); });
  addBinary("arith.minimumf", [](auto a, auto b) { return minimum(a, b); });
  addBinary("arith.maxnumf", [](auto a, auto b) { return std::fmax(a, b); });
  addBinary("arith.minnumf", [](auto a, auto b) { return std::fmin(a, b); });
  addBinary("math.powf", [](auto a, auto b) { return std::pow(a, b); });
  addBinary("math.atan2", [](auto a, auto b) { return std::atan2(a, b); });
  addBinary("math.copysign",
            [](auto a, auto b) { return std::copysign(a, b); });
  evaluators.addScalar("arith.negf", bindFloat<1>([](auto a) { return -a; }));
  evaluators.addScalar("math.fma", bindFloat<3>([](auto a, auto b, auto c) {
                         return std::fma(a, b, c);
                       }));
  evaluators.addScalar("arith.cmpf", bindCmpF);
}

static void addFunctions(ConstantEvaluators &evaluators) {
  auto addUnary = [&](StringRef name, auto fn) {
    evaluators.addScalar(name, bindFloat<1>(fn));
  };
  addUnary("math.absf", [](auto a) { return std::fabs(a); });
  addUnary("math.ceil", [](auto a) { return std::ceil(a); });
  addUnary("math.floor", [](auto a) { return std::floor(a); });
  addUnary("math.round", [](auto a) { return std::round(a); });
  addUnary("math.roundeven", [](auto a) { return std::nearbyint(a); });
  addUnary("math.trunc", [](auto a) { return std::trunc(a); });
  addUnary("math.sqrt", [](auto a) { return std::sqrt(a); });
  // As it is lowered: two roundings.
  addUnary("math.rsqrt", [](auto a) { return 1 / std::sqrt(a); });
  addUnary("math.cbrt", [](auto a) { return std::cbrt(a); });
  addUnary("math.exp", [](auto a) { return std::exp(a); });
  addUnary("math.exp2", [](auto a) { return std::exp2(a); });
  addUnary("math.expm1", [](auto a) { return std::expm1(a); });
  addUnary("math.log", [](auto a) { return std::log(a); });
  addUnary("math.log2", [](auto a) { return std::log2(a); });
  addUnary("math.log10", [](auto a) { return std::log10(a); });
  addUnary("math.log1p", [](auto a) { return std::log1p(a); });
  addUnary("math.sin", [](auto a) { return std::sin(a); });
  addUnary("math.cos", [](auto a) { return std::cos(a); });
  addUnary("math.tan", [](auto a) { return std::tan(a); });
  addUnary("math.sinh", [](auto a) { return std::sinh(a); });
  addUnary("math.cosh", [](auto a) { return std::cosh(a); });
  addUnary("math.tanh", [](auto a) { return std::tanh(a); });
  addUnary("math.atan", [](auto a) { return std::atan(a); });
  addUnary("math.erf", [](auto a) { return std::erf(a); });
}

void memfmt::addFloatScalars(ConstantEvaluators &evaluators) {
  addArithmetic(evaluators);
  addFunctions(evaluators);
}
