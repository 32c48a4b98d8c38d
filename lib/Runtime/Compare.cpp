//===- Compare.cpp - how far an array is from another -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Compare.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace memfmt::runtime;

static bool isFloat(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 ||
         type == ElementType::f16 || type == ElementType::bf16;
}

/// NaN and infinities agree: the same kind in both.
static bool specialsAgree(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b;
}

/// Every byte counts; the first element that differs is reported.
static void compareExactly(const HostTensor &actual, const HostTensor &expected,
                           Comparison &result) {
  int64_t size = getElementSize(actual.getElementType());
  for (int64_t i = 0, n = actual.getNumElements(); i < n; ++i) {
    if (!std::memcmp(actual.getBytes().data() + i * size,
                     expected.getBytes().data() + i * size, size))
      continue;
    double error = std::abs(actual.getAsDouble(i) - expected.getAsDouble(i));
    if (result.worstIndex < 0 || error > result.maxAbsError) {
      result.worstIndex = i;
      result.maxAbsError = error;
    }
  }
  result.holds = result.worstIndex < 0;
}

static void compareFloats(const HostTensor &actual, const HostTensor &expected,
                          double rtol, double atol, Comparison &result) {
  double largest = 0;
  int64_t firstSpecial = -1, worst = -1;
  for (int64_t i = 0, n = actual.getNumElements(); i < n; ++i) {
    double x = actual.getAsDouble(i), y = expected.getAsDouble(i);
    if (std::isfinite(y))
      largest = std::max(largest, std::abs(y));
    if (!std::isfinite(x) || !std::isfinite(y)) {
      if (!specialsAgree(x, y) && firstSpecial < 0)
        firstSpecial = i;
      continue;
    }
    double error = std::abs(x - y);
    if (worst < 0 || error > result.maxAbsError) {
      worst = i;
      result.maxAbsError = error;
    }
  }
  result.allowed = atol + rtol * largest;
  result.worstIndex = firstSpecial >= 0 ? firstSpecial : worst;
  result.holds = firstSpecial < 0 && result.maxAbsError <= result.allowed;
}

llvm::Expected<Comparison>
memfmt::runtime::compareTensors(const HostTensor &actual,
                                const HostTensor &expected, double rtol,
                                double atol) {
  // Floats of other widths are compared as numbers: files have no bf16.
  bool floats =
      isFloat(actual.getElementType()) && isFloat(expected.getElementType());
  if ((!floats && actual.getElementType() != expected.getElementType()) ||
      actual.getShape() != expected.getShape())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "has type " + actual.getTypeName() +
                                       ", the expected values have " +
                                       expected.getTypeName());
  Comparison result;
  if (isFloat(actual.getElementType()))
    compareFloats(actual, expected, rtol, atol, result);
  else
    compareExactly(actual, expected, result);
  if (result.worstIndex >= 0) {
    result.actual = actual.getAsDouble(result.worstIndex);
    result.expected = expected.getAsDouble(result.worstIndex);
  }
  return result;
}

std::string memfmt::runtime::formatIndex(llvm::ArrayRef<int64_t> shape,
                                         int64_t position) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  std::string text = "[";
  for (auto [axis, value] : llvm::enumerate(index))
    text += (axis ? ", " : "") + std::to_string(value);
  return text + "]";
}
