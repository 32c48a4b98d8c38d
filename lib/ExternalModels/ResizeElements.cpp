//===- ResizeElements.cpp - definitions of resizing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A resize is a sum of input elements with weights, axis by axis: each result
// index has a few taps (place, weight). The gradient adds, for an input
// element, the gradients of all result elements that have it as a tap.
//
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// The taps along one axis from `in` to `out` elements. Weights are of `type`.
struct AxisResize {
  ResizeMode mode;
  ResizeCoordinates coordinates;
  int64_t in, out;
  double scale; // Input over result.
  Type type;

  struct Tap {
    Value place, weight;
  };
  SmallVector<Tap> getTaps(ScalarBuilder &s, Value o) const;

private:
  Value getCoordinate(ScalarBuilder &s, Value o) const;
  SmallVector<Value> getCubicWeights(ScalarBuilder &s, Value t) const;
};
} // namespace

/// Where result index `o` lies in the input.
Value AxisResize::getCoordinate(ScalarBuilder &s, Value o) const {
  Value x = s.convert(o, type);
  switch (coordinates) {
  case ResizeCoordinates::asymmetric:
    return s.mul(x, s.constant(type, scale));
  case ResizeCoordinates::half_pixel:
    return s.sub(
        s.mul(s.add(x, s.constant(type, 0.5)), s.constant(type, scale)),
        s.constant(type, 0.5));
  case ResizeCoordinates::align_corners: {
    double step = out > 1 ? double(in - 1) / double(out - 1) : 0;
    return s.mul(x, s.constant(type, step));
  }
  }
  llvm_unreachable("unknown coordinates");
}

/// Keys' kernel with a = -0.75, at distances 1 + t, t, 1 - t and 2 - t.
SmallVector<Value> AxisResize::getCubicWeights(ScalarBuilder &s,
                                               Value t) const {
  constexpr double a = -0.75;
  auto number = [&](double value) { return s.constant(type, value); };
  auto near = [&](Value x) { // ((a + 2) x - (a + 3)) x^2 + 1
    Value y = s.sub(s.mul(number(a + 2), x), number(a + 3));
    return s.add(s.mul(s.mul(y, x), x), number(1));
  };
  auto far = [&](Value x) { // ((a x - 5 a) x + 8 a) x - 4 a
    Value y = s.sub(s.mul(number(a), x), number(5 * a));
    y = s.add(s.mul(y, x), number(8 * a));
    return s.sub(s.mul(y, x), number(4 * a));
  };
  Value rest = s.sub(number(1), t);
  return {far(s.add(number(1), t)), near(t), near(rest),
          far(s.add(number(1), rest))};
}

SmallVector<AxisResize::Tap> AxisResize::getTaps(ScalarBuilder &s,
                                                 Value o) const {
  Value last = s.index(in - 1);
  auto border = [&](Value place) {
    return s.min(s.max(place, s.index(0)), last);
  };
  Value x = getCoordinate(s, o);
  if (mode == ResizeMode::nearest) {
    // PyTorch's `nearest-exact` does not subtract the half again.
    if (coordinates == ResizeCoordinates::half_pixel)
      x = s.add(x, s.constant(type, 0.5));
    Value place = s.convert(math::FloorOp::create(s.b, x).getResult(),
                            s.b.getIndexType());
    return {{border(place), s.constant(type, 1)}};
  }
  if (mode == ResizeMode::linear)
    x = s.max(x, s.constant(type, 0));
  Value floor = math::FloorOp::create(s.b, x);
  Value t = s.sub(x, floor);
  Value place = s.convert(floor, s.b.getIndexType());
  if (mode == ResizeMode::linear)
    return {{border(place), s.sub(s.constant(type, 1), t)},
            {border(s.add(place, s.index(1))), t}};
  SmallVector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(getCubicWeights(s, t)))
    taps.push_back({border(s.add(place, s.index(int64_t(i) - 1))), weight});
  return taps;
}

/// The axes of a resize from `from` to `to`.
template <typename OpT>
static SmallVector<AxisResize> getAxes(OpT op, RankedTensorType from,
                                       RankedTensorType to) {
  // Coordinates in single precision as in PyTorch, double for f64.
  Type element = from.getElementType();
  Type type = element.isF64() ? element : Float32Type::get(op.getContext());
  SmallVector<AxisResize> axes;
  for (int64_t axis = 2; axis < from.getRank(); ++axis) {
    int64_t in = from.getDimSize(axis), out = to.getDimSize(axis);
    double scale = double(in) / double(out);
    if (auto scales = op.getScales())
      scale = (*scales)[axis - 2];
    axes.push_back({op.getMode(), op.getCoordinates(), in, out, scale, type});
  }
  return axes;
}

namespace {
struct ResizeElements {
  static Value build(ResizeOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType type = op.getInput().getType();
    SmallVector<AxisResize> axes = getAxes(op, type, op.getResult().getType());
    SmallVector<SmallVector<AxisResize::Tap>> taps;
    for (auto [i, axis] : llvm::enumerate(axes))
      taps.push_back(axis.getTaps(s, indices[i + 2]));
    SmallVector<Value> at = {indices[0], indices[1]};
    if (op.getMode() == ResizeMode::nearest) {
      for (const auto &tap : taps)
        at.push_back(tap[0].place);
      return reader.read(0, at);
    }
    return s.convert(interpolate(s, reader, taps, at, axes[0].type),
                     type.getElementType());
  }

private:
  /// The weighted sum over the taps of the axes after those in `at`.
  static Value interpolate(ScalarBuilder &s, const ElementReader &reader,
                           ArrayRef<SmallVector<AxisResize::Tap>> taps,
                           SmallVector<Value> &at, Type type) {
    if (taps.empty())
      return s.convert(reader.read(0, at), type);
    Value sum;
    for (const AxisResize::Tap &tap : taps.front()) {
      at.push_back(tap.place);
      Value term = s.mul(tap.weight,
                         interpolate(s, reader, taps.drop_front(), at, type));
      at.pop_back();
      sum = sum ? s.add(sum, term) : term;
    }
    return sum;
  }
};

struct ResizeBackwardElements {
  static Value build(ResizeBackwardOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType gradient = op.getGradient().getType();
    SmallVector<AxisResize> axes =
        getAxes(op, op.getResult().getType(), gradient);
    Type type = axes[0].type;
    SmallVector<Value> sizes;
    for (int64_t axis = 2; axis < gradient.getRank(); ++axis)
      sizes.push_back(reader.size(0, axis));
    Value zero = s.constant(type, 0);
    Value sum =
        s.nest(sizes, zero,
               [&](ValueRange place, ValueRange carried) -> SmallVector<Value> {
                 // The product over the axes of the weight of this element.
                 Value weight = s.constant(type, 1);
                 for (auto [i, axis] : llvm::enumerate(axes))
                   weight = s.mul(weight,
                                  getWeight(s, axis, place[i], indices[i + 2]));
                 SmallVector<Value> at = {indices[0], indices[1]};
                 llvm::append_range(at, place);
                 return {s.guarded(
                     s.ne(weight, zero),
                     [&] {
                       Value g = s.convert(reader.read(0, at), type);
                       return s.add(carried[0], s.mul(weight, g));
                     },
                     carried[0])};
               })
            .front();
    return s.convert(sum, gradient.getElementType());
  }

private:
  /// The weight of input place `own` in result index `o`.
  static Value getWeight(ScalarBuilder &s, const AxisResize &axis, Value o,
                         Value own) {
    Value zero = s.constant(axis.type, 0), weight = zero;
    for (const AxisResize::Tap &tap : axis.getTaps(s, o))
      weight = s.add(weight, s.select(s.eq(tap.place, own), tap.weight, zero));
    return weight;
  }
};
} // namespace

void memfmt::attachResizeElements(MLIRContext *context) {
  attachElements<ResizeElements, ResizeOp>(context);
  attachElements<ResizeBackwardElements, ResizeBackwardOp>(context);
}
