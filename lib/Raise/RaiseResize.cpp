//===- RaiseResize.cpp - up-sampling and resizing ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers write a resize as gathers with computed indices and weights, in one
// generic or in dozens. The formula is read as a weighted sum of elements, and
// its numbers are compared with the definition of `memfmt.resize` at every
// index, so that the spelling does not matter.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"
#include "Recognisers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace memfmt;

/// Images above this size are not compared.
static constexpr int64_t kMaxPixels = int64_t(1) << 22;

using Weights = SmallVector<std::pair<int64_t, double>>;

namespace {
struct Convention {
  ResizeMode mode;
  ResizeCoordinates coordinates;
};
} // namespace

/// What the definition can be, simplest first: small images can agree with
/// several.
static constexpr Convention kConventions[] = {
    {ResizeMode::nearest, ResizeCoordinates::asymmetric},
    {ResizeMode::nearest, ResizeCoordinates::half_pixel},
    {ResizeMode::nearest, ResizeCoordinates::align_corners},
    {ResizeMode::linear, ResizeCoordinates::half_pixel},
    {ResizeMode::linear, ResizeCoordinates::align_corners},
    {ResizeMode::linear, ResizeCoordinates::asymmetric},
    {ResizeMode::cubic, ResizeCoordinates::half_pixel},
    {ResizeMode::cubic, ResizeCoordinates::align_corners},
    {ResizeMode::cubic, ResizeCoordinates::asymmetric},
};

/// The place of result index `o` in an input of size `in`, computed as the
/// operation computes it, in the arithmetic of `FloatT`.
template <typename FloatT>
static FloatT getPlace(ResizeCoordinates coordinates, int64_t o, int64_t in,
                       int64_t out) {
  FloatT x = static_cast<FloatT>(o), half = static_cast<FloatT>(0.5);
  FloatT scale = static_cast<FloatT>(static_cast<double>(in) / out);
  FloatT step = static_cast<FloatT>(
      out == 1 ? 0.0 : static_cast<double>(in - 1) / (out - 1));
  switch (coordinates) {
  case ResizeCoordinates::asymmetric:
    return x * scale;
  case ResizeCoordinates::half_pixel:
    return (x + half) * scale - half;
  case ResizeCoordinates::align_corners:
    return x * step;
  }
  return 0;
}

/// The pixel that `nearest` takes. Rounding decides at the border of two: that
/// of the type in which the operation computes places.
static int64_t getNearest(ResizeCoordinates coordinates, int64_t o, int64_t in,
                          int64_t out, bool isDouble) {
  auto floor = [&](auto place) {
    if (coordinates == ResizeCoordinates::half_pixel)
      place += decltype(place)(0.5);
    return static_cast<int64_t>(std::floor(place));
  };
  return isDouble ? floor(getPlace<double>(coordinates, o, in, out))
                  : floor(getPlace<float>(coordinates, o, in, out));
}

/// The cubic convolution kernel with a = -0.75 at distance `x`.
static double getCubicWeight(double x) {
  constexpr double a = -0.75;
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// The weights of one axis for one result index.
static Weights getAxisWeights(Convention convention, int64_t o, int64_t in,
                              int64_t out, bool isDouble) {
  double place = getPlace<double>(convention.coordinates, o, in, out);
  auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i, 0, in - 1); };
  Weights weights;
  if (convention.mode == ResizeMode::nearest)
    return {
        {clamp(getNearest(convention.coordinates, o, in, out, isDouble)), 1.0}};
  if (convention.mode == ResizeMode::linear) {
    place = std::max(place, 0.0);
    double low = std::floor(place);
    int64_t at = static_cast<int64_t>(low);
    return {{clamp(at), 1 - (place - low)}, {clamp(at + 1), place - low}};
  }
  double low = std::floor(place);
  for (int64_t tap = -1; tap <= 2; ++tap)
    weights.push_back({clamp(static_cast<int64_t>(low) + tap),
                       getCubicWeight(place - (low + tap))});
  return weights;
}

/// How much the sum of the weights of a pixel, which is 1, may be off by
/// rounding.
static constexpr double kSumTolerance = 2e-6;

/// Whether two sums give the same weight to every element, up to rounding of
/// places, and the same in all. `found` and `expected` may name an element
/// several times.
static bool haveSameWeights(const Weights &found, const Weights &expected,
                            double tolerance) {
  double excess = 0;
  for (const auto &[position, weight] : found)
    excess += weight;
  for (const auto &[position, weight] : expected)
    excess -= weight;
  if (!(std::fabs(excess) <= std::min(tolerance, kSumTolerance)))
    return false;
  for (const Weights *list : {&found, &expected})
    for (const auto &entry : *list) {
      double difference = 0;
      for (const auto &[position, weight] : found)
        difference += position == entry.first ? weight : 0;
      for (const auto &[position, weight] : expected)
        difference -= position == entry.first ? weight : 0;
      if (!(std::fabs(difference) <= tolerance))
        return false;
    }
  return true;
}

/// Whether the form has the weights of the convention at every pixel.
static bool matches(const LinearForm &form, RankedTensorType type,
                    Convention convention) {
  auto input = cast<RankedTensorType>(form.source.getType());
  ArrayRef<int64_t> in = input.getShape().drop_front(2),
                    out = type.getShape().drop_front(2);
  unsigned spatial = in.size();
  int64_t pixels = 1, largest = 1;
  std::vector<std::vector<Weights>> axes(spatial);
  for (unsigned axis = 0; axis < spatial; ++axis) {
    pixels *= out[axis];
    largest = std::max({largest, in[axis], out[axis]});
    for (int64_t o = 0; o < out[axis]; ++o)
      axes[axis].push_back(getAxisWeights(convention, o, in[axis], out[axis],
                                          type.getElementType().isF64()));
  }
  // Places are computed in single precision; a pixel that is copied has no
  // weight that could be off.
  double tolerance =
      convention.mode == ResizeMode::nearest
          ? 0.0
          : std::min(1e-3, 1e-6 * static_cast<double>(largest + 4));
  SmallVector<int64_t> indices(spatial + 2, 0);
  Weights found;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    int64_t rest = pixel;
    for (int64_t axis = spatial - 1; axis >= 0; --axis) {
      indices[axis + 2] = rest % out[axis];
      rest /= out[axis];
    }
    form.getWeights(indices, 2, found);
    Weights expected = {{0, 1.0}};
    for (unsigned axis = 0; axis < spatial; ++axis) {
      Weights next;
      for (const auto &[position, weight] : expected)
        for (const auto &[at, factor] : axes[axis][indices[axis + 2]])
          next.push_back({position * in[axis] + at, weight * factor});
      expected = std::move(next);
    }
    if (!haveSameWeights(found, expected, tolerance))
      return false;
  }
  return true;
}

/// Whether batch and channel of each element are those of the result, and no
/// weight depends on them.
static bool keepsImages(const LinearForm &form) {
  for (const WeightTable &table : form.weights)
    if (table.axis < 2 && !llvm::all_equal(table.values))
      return false;
  for (const GatheredElement &element : form.elements)
    for (unsigned axis : {0, 1})
      for (auto [i, index] : llvm::enumerate(element.indices[axis]))
        if (index != static_cast<int64_t>(i))
          return false;
  return true;
}

namespace {
struct RaiseResize : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t rank = type.getRank(), pixels = 1;
    if (rank < 3 || rank > 5 || !type.hasStaticShape() ||
        !isa<FloatType>(type.getElementType()))
      return failure();
    for (int64_t size : type.getShape().drop_front(2))
      pixels *= size;
    if (pixels > kMaxPixels)
      return rewriter.notifyMatchFailure(op, "has too many pixels");
    FailureOr<LinearForm> form = LinearForm::match(op.getResult(0));
    if (failed(form) || !keepsImages(*form))
      return failure();
    auto input = cast<RankedTensorType>(form->source.getType());
    if (input.getElementType() != type.getElementType() ||
        input.getShape().take_front(2) != type.getShape().take_front(2))
      return failure();
    for (Convention convention : kConventions) {
      if (!matches(*form, type, convention))
        continue;
      rewriter.replaceOpWithNewOp<ResizeOp>(
          op, type, convention.mode, convention.coordinates, form->source,
          /*scales=*/DenseF64ArrayAttr());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "has other weights than a resize");
  }
};
} // namespace

void memfmt::populateResizeRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseResize>(patterns.getContext());
}
