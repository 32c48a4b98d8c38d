//===- RaiseTosaResize.cpp - resizing in TOSA -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Along each axis `tosa.resize` reads the place (index * denominator + offset)
// / numerator of its input, rounded for `NEAREST_NEIGHBOR`. Where these are the
// places of `memfmt.resize`, it is one.
//
//===----------------------------------------------------------------------===//

#include "Tosa.h"

#include "memfmt/IR/MemFmt.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace memfmt;

namespace {
/// One axis, from `in` to `out` elements.
struct ResizeAxis {
  int64_t in, out, numerator, denominator, offset;

  /// The element that `NEAREST_NEIGHBOR` reads.
  int64_t getNearest(int64_t index) const {
    return clip(llvm::divideFloorSigned(
        2 * (index * denominator + offset) + numerator, 2 * numerator));
  }
  bool isNearest(ResizeCoordinates coordinates) const;
  bool isLinear(ResizeCoordinates coordinates) const;
  double getScale() const { return double(denominator) / double(numerator); }

private:
  int64_t clip(int64_t place) const {
    return std::min(std::max<int64_t>(place, 0), in - 1);
  }
};
} // namespace

/// Whether the nearest elements are those of `memfmt.resize nearest`.
bool ResizeAxis::isNearest(ResizeCoordinates coordinates) const {
  // Places must be exact where they are computed in single precision.
  int64_t divisor = std::gcd(numerator, denominator);
  if (!llvm::isPowerOf2_64(numerator / divisor) || out > (1 << 20))
    return false;
  int64_t shift = coordinates == ResizeCoordinates::half_pixel;
  for (int64_t index = 0; index < out; ++index)
    if (getNearest(index) !=
        clip((2 * index + shift) * denominator / (2 * numerator)))
      return false;
  return true;
}

bool ResizeAxis::isLinear(ResizeCoordinates coordinates) const {
  if (coordinates == ResizeCoordinates::half_pixel)
    return 2 * offset == denominator - numerator;
  return offset == 0;
}

/// The two spatial axes; failure where sizes or scales are not known.
static FailureOr<SmallVector<ResizeAxis>> getAxes(tosa::ResizeOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getOutput().getType());
  FailureOr<SmallVector<int64_t>> scale = getConstantShape(op.getScale()),
                                  offset = getConstantShape(op.getOffset());
  if (!input || !result || !input.hasStaticShape() ||
      !result.hasStaticShape() || failed(scale) || failed(offset))
    return failure();
  SmallVector<ResizeAxis> axes;
  for (size_t i : {0, 1})
    axes.push_back({input.getDimSize(i + 1), result.getDimSize(i + 1),
                    (*scale)[2 * i], (*scale)[2 * i + 1], (*offset)[i]});
  // Small enough for exact products.
  auto isLarge = [](int64_t value) { return std::abs(value) > (1 << 20); };
  for (const ResizeAxis &axis : axes)
    if (axis.numerator < 1 || axis.denominator < 1 || isLarge(axis.numerator) ||
        isLarge(axis.denominator) || isLarge(axis.offset))
      return failure();
  return axes;
}

namespace {
struct RaiseTosaResize : OpRewritePattern<tosa::ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ResizeOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getInput().getType());
    FailureOr<SmallVector<ResizeAxis>> axes = getAxes(op);
    if (!isa<FloatType>(element) ||
        getElementTypeOrSelf(op.getOutput().getType()) != element ||
        failed(axes))
      return rewriter.notifyMatchFailure(op, "is no resize of known places");
    bool nearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
    for (ResizeCoordinates coordinates :
         {ResizeCoordinates::asymmetric, ResizeCoordinates::half_pixel}) {
      if (!llvm::all_of(*axes, [&](const ResizeAxis &axis) {
            return nearest ? axis.isNearest(coordinates)
                           : axis.isLinear(coordinates);
          }))
        continue;
      replace(op, *axes, nearest ? ResizeMode::nearest : ResizeMode::linear,
              coordinates, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "reads other places");
  }

private:
  static void replace(tosa::ResizeOp op, ArrayRef<ResizeAxis> axes,
                      ResizeMode mode, ResizeCoordinates coordinates,
                      PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    DenseF64ArrayAttr scales;
    if (llvm::any_of(axes, [](const ResizeAxis &axis) {
          return axis.in * axis.numerator != axis.out * axis.denominator;
        }))
      scales = rewriter.getDenseF64ArrayAttr(
          {axes[0].getScale(), axes[1].getScale()});
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    auto resize = ResizeOp::create(
        rewriter, loc, getChannelsFirstType(type), mode, coordinates,
        putChannelsFirst(rewriter, loc, op.getInput()), scales);
    rewriter.replaceOp(op, putChannelsLast(rewriter, loc, resize.getResult()));
  }
};
} // namespace

void memfmt::populateTosaResizePatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaResize>(patterns.getContext());
}
