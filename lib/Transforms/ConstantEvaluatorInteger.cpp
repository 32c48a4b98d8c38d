//===- ConstantEvaluatorInteger.cpp - scalar integers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace memfmt;

/// An operation on sign-extended integers of one type that has a result for all
/// of them. `fn` gets the width last; what it returns wraps around.
template <typename Fn>
static ConstantEvaluators::ScalarBinder bindInteger(Fn fn) {
  return [fn](Operation *op) -> ScalarFunction {
    Type type = getResultElementType(op);
    if (!isInteger(type))
      return {};
    unsigned width = getWidth(type);
    return applyScalars<2, int64_t, int64_t>(
        type, [fn, width](int64_t a, int64_t b) { return fn(a, b, width); });
  };
}

/// One that is undefined for some operands, where `fn` returns none.
template <typename Fn>
static ConstantEvaluators::ScalarBinder bindPartial(Fn fn) {
  return [fn](Operation *op) -> ScalarFunction {
    Type type = getResultElementType(op);
    if (!isInteger(type))
      return {};
    unsigned width = getWidth(type);
    return [=](ArrayRef<const void *> operands, void *result, int64_t count) {
      const auto *a = static_cast<const int64_t *>(operands[0]);
      const auto *b = static_cast<const int64_t *>(operands[1]);
      auto *out = static_cast<int64_t *>(result);
      for (int64_t i = 0; i < count; ++i) {
        std::optional<int64_t> value = fn(a[i], b[i], width);
        if (!value)
          return false;
        out[i] = *value;
      }
      wrapScalars(type, result, count);
      return true;
    };
  };
}

static uint64_t asUnsigned(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
}

static ScalarFunction bindCmpI(Operation *op) {
  using P = arith::CmpIPredicate;
  Type type = getOperandElementType(op, 0);
  if (!isInteger(type))
    return {};
  P predicate = cast<arith::CmpIOp>(op).getPredicate();
  // Sign extension keeps the unsigned order too.
  auto compare = [predicate](int64_t a, int64_t b) {
    uint64_t x = a, y = b;
    switch (predicate) {
    case P::eq:
      return a == b;
    case P::ne:
      return a != b;
    case P::slt:
      return a < b;
    case P::sle:
      return a <= b;
    case P::sgt:
      return a > b;
    case P::sge:
      return a >= b;
    case P::ult:
      return x < y;
    case P::ule:
      return x <= y;
    case P::ugt:
      return x > y;
    case P::uge:
      return x >= y;
    }
    return false;
  };
  return applyScalars<2, int64_t, int64_t>(
      getResultElementType(op), [compare](int64_t a, int64_t b) -> int64_t {
        return -static_cast<int64_t>(compare(a, b));
      });
}

static ScalarFunction bindAbsI(Operation *op) {
  Type type = getResultElementType(op);
  if (!isInteger(type))
    return {};
  return applyScalars<1, int64_t, int64_t>(type, [](int64_t a) -> int64_t {
    return a < 0 ? -static_cast<uint64_t>(a) : a;
  });
}

static void addTotal(ConstantEvaluators &evaluators) {
  auto addBinary = [&](StringRef name, auto fn) {
    evaluators.addScalar(name, bindInteger(fn));
  };
  // Unsigned arithmetic, since overflow wraps around.
  using U = uint64_t;
  addBinary("arith.addi", [](U a, U b, unsigned) -> int64_t { return a + b; });
  addBinary("arith.subi", [](U a, U b, unsigned) -> int64_t { return a - b; });
  addBinary("arith.muli", [](U a, U b, unsigned) -> int64_t { return a * b; });
  addBinary("arith.andi", [](U a, U b, unsigned) -> int64_t { return a & b; });
  addBinary("arith.ori", [](U a, U b, unsigned) -> int64_t { return a | b; });
  addBinary("arith.xori", [](U a, U b, unsigned) -> int64_t { return a ^ b; });
  addBinary("arith.maxsi",
            [](int64_t a, int64_t b, unsigned) { return std::max(a, b); });
  addBinary("arith.minsi",
            [](int64_t a, int64_t b, unsigned) { return std::min(a, b); });
  addBinary("arith.maxui",
            [](U a, U b, unsigned) -> int64_t { return std::max(a, b); });
  addBinary("arith.minui",
            [](U a, U b, unsigned) -> int64_t { return std::min(a, b); });
  evaluators.addScalar("math.absi", bindAbsI);
  evaluators.addScalar("arith.cmpi", bindCmpI);
}

using Partial = std::optional<int64_t>;

/// Whether a signed quotient is undefined.
static bool isUndefined(int64_t a, int64_t b, unsigned width) {
  return b == 0 || (b == -1 && a == llvm::minIntN(width));
}

static Partial divideFloor(int64_t a, int64_t b, unsigned width) {
  if (isUndefined(a, b, width))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Partial divideCeil(int64_t a, int64_t b, unsigned width) {
  if (isUndefined(a, b, width))
    return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

static void addDivisions(ConstantEvaluators &evaluators) {
  auto addSigned = [&](StringRef name, auto fn) {
    evaluators.addScalar(
        name, bindPartial([fn](int64_t a, int64_t b, unsigned width) {
          return isUndefined(a, b, width) ? Partial() : Partial(fn(a, b));
        }));
  };
  auto addUnsigned = [&](StringRef name, auto fn) {
    evaluators.addScalar(
        name, bindPartial([fn](int64_t a, int64_t b, unsigned width) {
          return b == 0
                     ? Partial()
                     : Partial(fn(asUnsigned(a, width), asUnsigned(b, width)));
        }));
  };
  addSigned("arith.divsi", [](int64_t a, int64_t b) { return a / b; });
  addSigned("arith.remsi", [](int64_t a, int64_t b) { return a % b; });
  addUnsigned("arith.divui", [](uint64_t a, uint64_t b) { return a / b; });
  addUnsigned("arith.remui", [](uint64_t a, uint64_t b) { return a % b; });
  addUnsigned("arith.ceildivui",
              [](uint64_t a, uint64_t b) { return a / b + (a % b != 0); });
  evaluators.addScalar("arith.floordivsi", bindPartial(divideFloor));
  evaluators.addScalar("arith.ceildivsi", bindPartial(divideCeil));
}

static void addShifts(ConstantEvaluators &evaluators) {
  auto addShift = [&](StringRef name, auto fn) {
    evaluators.addScalar(
        name, bindPartial([fn](int64_t a, int64_t b, unsigned width) {
          return asUnsigned(b, width) >= width ? Partial()
                                               : Partial(fn(a, b, width));
        }));
  };
  addShift("arith.shli", [](int64_t a, int64_t b, unsigned) -> int64_t {
    return static_cast<uint64_t>(a) << b;
  });
  addShift("arith.shrsi",
           [](int64_t a, int64_t b, unsigned) -> int64_t { return a >> b; });
  addShift("arith.shrui", [](int64_t a, int64_t b, unsigned width) -> int64_t {
    return asUnsigned(a, width) >> b;
  });
}

void memfmt::addIntegerScalars(ConstantEvaluators &evaluators) {
  addTotal(evaluators);
  addDivisions(evaluators);
  addShifts(evaluators);
}
