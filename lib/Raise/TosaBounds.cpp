//===- TosaBounds.cpp - between which numbers a tensor lies -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TosaBounds.h"

#include "Tosa.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <type_traits>

using namespace mlir;
using namespace memfmt;

/// Integers above this size are not exact as `double`.
static constexpr double kMaxInteger = 9007199254740992.0;

/// The bounds as elements of `type`; nothing where they would not fit.
static std::optional<Bounds> roundTo(Type type, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high))
    return std::nullopt;
  if (type.isF32()) {
    // Two roundings of a sum or product are as good as one.
    Bounds rounded{static_cast<float>(low), static_cast<float>(high)};
    if (!std::isfinite(rounded.low) || !std::isfinite(rounded.high))
      return std::nullopt;
    return rounded;
  }
  if (type.isInteger(1))
    return low >= 0 && high <= 1 ? std::optional(Bounds{low, high})
                                 : std::nullopt;
  if (!type.isInteger(8) && !type.isInteger(32) && !type.isInteger(64))
    return std::nullopt;
  double end =
      std::min(std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1), kMaxInteger);
  if (low < -end || high > end - 1)
    return std::nullopt;
  return Bounds{low, high};
}

/// The smallest and the largest of numbers that are exact as `double`.
template <typename RangeT>
static std::optional<Bounds> getExtremes(const RangeT &values) {
  std::optional<Bounds> bounds;
  for (auto element : values) {
    double value = static_cast<double>(element);
    // Importers take the smallest integer for "no bound".
    bool isSmallest = value == -std::ldexp(1.0, 63);
    if (!std::isfinite(value) || (std::is_integral_v<decltype(element)> &&
                                  !isSmallest && std::abs(value) > kMaxInteger))
      return std::nullopt;
    if (!bounds)
      bounds = {value, value};
    bounds = {std::min(bounds->low, value), std::max(bounds->high, value)};
  }
  return bounds;
}

static std::optional<Bounds> getConstantBounds(Attribute constant) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant)) {
    Type type = dense.getElementType();
    if (type.isF32())
      return getExtremes(dense.getValues<float>());
    if (!isa<IntegerType>(type) || type.getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    bool isBool = type.isInteger(1);
    return getExtremes(
        llvm::map_range(dense.getValues<APInt>(), [=](const APInt &x) {
          return isBool ? int64_t(x.getZExtValue()) : x.getSExtValue();
        }));
  }
  if (auto resource = dyn_cast<DenseI64ResourceElementsAttr>(constant))
    if (auto values = resource.tryGetAsArrayRef())
      return getExtremes(*values);
  if (auto resource = dyn_cast<DenseI32ResourceElementsAttr>(constant))
    if (auto values = resource.tryGetAsArrayRef())
      return getExtremes(*values);
  return std::nullopt;
}

std::optional<Bounds> TosaBounds::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  std::optional<Bounds> bounds;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    bounds = getConstantBounds(constant);
  else if (Operation *op = value.getDefiningOp())
    bounds = compute(op);
  known[value] = bounds;
  return bounds;
}

std::optional<Bounds> TosaBounds::computeBinary(Operation *op, Bounds a,
                                                Bounds b) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<tosa::AddOp>(op))
    return roundTo(type, a.low + b.low, a.high + b.high);
  if (isa<tosa::SubOp>(op))
    return roundTo(type, a.low - b.high, a.high - b.low);
  if (isa<tosa::MaximumOp>(op))
    return Bounds{std::max(a.low, b.low), std::max(a.high, b.high)};
  if (isa<tosa::MinimumOp>(op))
    return Bounds{std::min(a.low, b.low), std::min(a.high, b.high)};
  if (auto mul = dyn_cast<tosa::MulOp>(op)) {
    if (!isZeroConstant(mul.getShift()))
      return std::nullopt;
    double products[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                         a.high * b.high};
    return roundTo(type, *std::min_element(products, products + 4),
                   *std::max_element(products, products + 4));
  }
  if (isa<tosa::GreaterOp>(op))
    return Bounds{a.low > b.high ? 1.0 : 0.0, a.high > b.low ? 1.0 : 0.0};
  return std::nullopt;
}

std::optional<Bounds> TosaBounds::compute(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      !isa<tosa::TosaDialect>(op->getDialect()))
    return std::nullopt;
  if (auto select = dyn_cast<tosa::SelectOp>(op)) {
    std::optional<Bounds> condition = get(select.getInput1());
    std::optional<Bounds> on = get(select.getInput2());
    std::optional<Bounds> off = get(select.getInput3());
    if (condition && condition->high == 0)
      return off;
    if (condition && condition->low == 1)
      return on;
    if (!on || !off)
      return std::nullopt;
    return Bounds{std::min(on->low, off->low), std::max(on->high, off->high)};
  }
  std::optional<Bounds> a = get(op->getOperand(0));
  if (!a)
    return std::nullopt;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<tosa::ReshapeOp, tosa::TileOp, tosa::TransposeOp>(op))
    return a;
  if (isa<tosa::FloorOp>(op))
    return Bounds{std::floor(a->low), std::floor(a->high)};
  if (isa<tosa::CeilOp>(op))
    return Bounds{std::ceil(a->low), std::ceil(a->high)};
  if (isa<tosa::CastOp>(op)) {
    if (type.isInteger(1))
      return Bounds{0, 1};
    if (type.isInteger())
      return roundTo(type, std::nearbyint(a->low), std::nearbyint(a->high));
    return roundTo(type, a->low, a->high);
  }
  if (auto clamp = dyn_cast<tosa::ClampOp>(op)) {
    auto low = dyn_cast<FloatAttr>(clamp.getMinVal());
    auto high = dyn_cast<FloatAttr>(clamp.getMaxVal());
    if (!low || !high)
      return std::nullopt;
    double from = low.getValueAsDouble(), to = high.getValueAsDouble();
    return Bounds{std::min(std::max(a->low, from), to),
                  std::min(std::max(a->high, from), to)};
  }
  if (op->getNumOperands() < 2)
    return std::nullopt;
  std::optional<Bounds> b = get(op->getOperand(1));
  return b ? computeBinary(op, *a, *b) : std::nullopt;
}
