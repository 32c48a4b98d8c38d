//===- ConstantEvaluatorCast.cpp - scalar conversions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace memfmt;

/// Converts `In` to a float type, rounded once.
template <typename In, typename Fn>
static ScalarFunction toFloat(Type type, Fn prepare) {
  if (type.isF64())
    return applyScalars<1, double, In>(
        type, [=](In value) { return static_cast<double>(prepare(value)); });
  if (type.isF32() || std::is_same_v<In, float>)
    return applyScalars<1, float, In>(
        type, [=](In value) { return static_cast<float>(prepare(value)); });
  return applyScalars<1, float, In>(type, [=](In value) {
    return roundToHalf(type, static_cast<double>(prepare(value)));
  });
}

/// `arith.extf`, `arith.truncf`.
static ScalarFunction bindFloatToFloat(Operation *op) {
  Type from = getOperandElementType(op, 0), to = getResultElementType(op);
  if (!isFloat(from) || !isFloat(to))
    return {};
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && truncate.getRoundingmode().value_or(
                      arith::RoundingMode::to_nearest_even) !=
                      arith::RoundingMode::to_nearest_even)
    return {};
  auto same = [](auto value) { return value; };
  return from.isF64() ? toFloat<double>(to, same) : toFloat<float>(to, same);
}

/// `arith.sitofp`, `arith.uitofp`. To floats of 16 bits only from integers of
/// 32 bits, which `double` holds exactly on the way.
static ScalarFunction bindIntegerToFloat(Operation *op) {
  Type from = getOperandElementType(op, 0), to = getResultElementType(op);
  if (!isInteger(from) || !isFloat(to) || (isHalf(to) && getWidth(from) > 32))
    return {};
  if (isa<arith::SIToFPOp>(op))
    return toFloat<int64_t>(to, [](int64_t value) { return value; });
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(getWidth(from));
  return toFloat<int64_t>(to, [mask](int64_t value) {
    return static_cast<uint64_t>(value) & mask;
  });
}

/// Truncates towards zero; values outside of [low, high) have no result.
template <typename In, typename Out>
static ScalarFunction fromFloat(Type to, double low, double high) {
  return [=](ArrayRef<const void *> operands, void *result, int64_t count) {
    const auto *in = static_cast<const In *>(operands[0]);
    auto *out = static_cast<int64_t *>(result);
    for (int64_t i = 0; i < count; ++i) {
      double value = std::trunc(static_cast<double>(in[i]));
      if (!(value >= low && value < high))
        return false;
      out[i] = static_cast<int64_t>(static_cast<Out>(value));
    }
    wrapScalars(to, result, count);
    return true;
  };
}

/// `arith.fptosi`, `arith.fptoui`.
static ScalarFunction bindFloatToInteger(Operation *op) {
  Type from = getOperandElementType(op, 0), to = getResultElementType(op);
  if (!isFloat(from) || !isInteger(to))
    return {};
  int width = getWidth(to);
  if (isa<arith::FPToSIOp>(op)) {
    double limit = std::ldexp(1.0, width - 1);
    return from.isF64() ? fromFloat<double, int64_t>(to, -limit, limit)
                        : fromFloat<float, int64_t>(to, -limit, limit);
  }
  double limit = std::ldexp(1.0, width);
  return from.isF64() ? fromFloat<double, uint64_t>(to, 0, limit)
                      : fromFloat<float, uint64_t>(to, 0, limit);
}

/// Conversions between integers and index. `zeroExtend`: the source is
/// unsigned.
template <bool zeroExtend>
static ScalarFunction bindIntegerToInteger(Operation *op) {
  Type from = getOperandElementType(op, 0), to = getResultElementType(op);
  if (!isInteger(from) || !isInteger(to))
    return {};
  uint64_t mask =
      llvm::maskTrailingOnes<uint64_t>(zeroExtend ? getWidth(from) : 64);
  return applyScalars<1, int64_t, int64_t>(
      to, [mask](int64_t value) -> int64_t { return value & mask; });
}

static int64_t getBlockBytes(Type type) {
  return isFloat(type) && !type.isF64() ? sizeof(float) : sizeof(int64_t);
}

/// Through memory, where both types have the same bytes.
static ScalarFunction bindBitcast(Operation *op) {
  Type from = getOperandElementType(op, 0), to = getResultElementType(op);
  if (!isComputable(from) || !isComputable(to) ||
      getWidth(from) != getWidth(to))
    return {};
  return [=](ArrayRef<const void *> operands, void *result, int64_t count) {
    const char *in = static_cast<const char *>(operands[0]);
    char *out = static_cast<char *>(result);
    for (int64_t i = 0; i < count; ++i) {
      char bytes[sizeof(int64_t)];
      storeScalars(from, in + i * getBlockBytes(from), 1, bytes, 1);
      loadScalars(to, bytes, 1, 1, out + i * getBlockBytes(to));
    }
    return true;
  };
}

static ScalarFunction bindSelect(Operation *op) {
  Type type = getResultElementType(op);
  if (!isComputable(type) || !getOperandElementType(op, 0).isInteger(1))
    return {};
  int64_t bytes = getBlockBytes(type);
  return [=](ArrayRef<const void *> operands, void *result, int64_t count) {
    const auto *condition = static_cast<const int64_t *>(operands[0]);
    const auto *then = static_cast<const char *>(operands[1]);
    const auto *other = static_cast<const char *>(operands[2]);
    char *out = static_cast<char *>(result);
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * bytes, (condition[i] ? then : other) + i * bytes,
                  bytes);
    return true;
  };
}

void memfmt::addCastScalars(ConstantEvaluators &evaluators) {
  evaluators.addScalar("arith.extf", bindFloatToFloat);
  evaluators.addScalar("arith.truncf", bindFloatToFloat);
  evaluators.addScalar("arith.sitofp", bindIntegerToFloat);
  evaluators.addScalar("arith.uitofp", bindIntegerToFloat);
  evaluators.addScalar("arith.fptosi", bindFloatToInteger);
  evaluators.addScalar("arith.fptoui", bindFloatToInteger);
  evaluators.addScalar("arith.extsi", bindIntegerToInteger<false>);
  evaluators.addScalar("arith.extui", bindIntegerToInteger<true>);
  evaluators.addScalar("arith.trunci", bindIntegerToInteger<false>);
  evaluators.addScalar("arith.index_cast", bindIntegerToInteger<false>);
  evaluators.addScalar("arith.index_castui", bindIntegerToInteger<true>);
  evaluators.addScalar("arith.bitcast", bindBitcast);
  evaluators.addScalar("arith.select", bindSelect);
}
