//===- RaiseAverage.cpp - averages as sums and divisions --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"
#include "ScalarEvaluator.h"

#include <cmath>

using namespace mlir;
using namespace memfmt;

/// Images above this size are not compared element by element.
static constexpr int64_t kMaxEvaluated = 1 << 18;

/// How many elements of the input, padding left out, one window covers along
/// one axis.
static int64_t countCovered(PoolOp pool, unsigned axis, int64_t position) {
  int64_t size = pool.getInput().getType().getDimSize(axis + 2), count = 0;
  for (int64_t i = 0; i < pool.getWindow()[axis]; ++i) {
    int64_t at = position * pool.getStrides()[axis] - pool.getPadLow()[axis] +
                 i * pool.getDilations()[axis];
    count += at >= 0 && at < size;
  }
  return count;
}

/// Whether a body divides each element by the number of elements of the input
/// under its window.
static bool dividesByCovered(Value divisor, linalg::GenericOp op, PoolOp pool) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  ScalarEvaluator evaluator;
  uint64_t spatial = ((uint64_t(1) << type.getRank()) - 1) & ~uint64_t(3);
  if (!type.hasStaticShape() || !pool.getInput().getType().hasStaticShape() ||
      evaluator.getLoops(divisor, op) & ~spatial)
    return false;
  ArrayRef<int64_t> image = type.getShape().drop_front(2);
  int64_t pixels = 1;
  for (int64_t size : image)
    pixels *= size;
  if (pixels > kMaxEvaluated)
    return false;
  SmallVector<int64_t> loops(type.getRank(), 0);
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    int64_t rest = pixel, covered = 1;
    for (int64_t axis = image.size() - 1; axis >= 0; --axis) {
      loops[axis + 2] = rest % image[axis];
      rest /= image[axis];
      covered *= countCovered(pool, axis, loops[axis + 2]);
    }
    std::optional<double> value =
        getFloat(evaluator.evaluate(divisor, op, loops));
    if (!value || *value != static_cast<double>(covered))
      return false;
  }
  return true;
}

namespace {
/// A sum over windows, divided by their size or by what they cover.
struct RaiseAverage : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op.getNumDpsInputs() != 1 ||
        !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
      return failure();
    // A reduction that keeps no axes of size 1 is reshaped.
    Value input = op.getInputs()[0];
    auto collapse = input.getDefiningOp<tensor::CollapseShapeOp>();
    if (collapse && collapse->hasOneUse())
      input = collapse.getSrc();
    else
      collapse = {};
    auto pool = input.getDefiningOp<PoolOp>();
    if (!pool || pool.getKind() != PoolKind::sum || !pool->hasOneUse() ||
        !pool.getEpilogue().empty() ||
        op.getResult(0).getType() != op.getInputs()[0].getType())
      return failure();
    std::optional<bool> excludesPad = matchDivisor(op, pool, !collapse);
    if (!excludesPad)
      return rewriter.notifyMatchFailure(op, "is no average");
    Value average =
        PoolOp::create(rewriter, op.getLoc(), pool.getResult().getType(),
                       PoolKind::avg, pool.getInput(), ValueRange(),
                       pool.getWindow(), pool.getStrides(), pool.getPadLow(),
                       pool.getPadHigh(), pool.getDilations(), *excludesPad)
            .getResult();
    if (collapse)
      average = tensor::CollapseShapeOp::create(
          rewriter, op.getLoc(), average, collapse.getReassociationIndices());
    rewriter.replaceOp(op, average);
    return success();
  }

private:
  /// Whether the divisor leaves the padding out; nullopt where the body is not
  /// a division that makes an average.
  static std::optional<bool> matchDivisor(linalg::GenericOp op, PoolOp pool,
                                          bool sameIndices);
};
} // namespace

std::optional<bool> RaiseAverage::matchDivisor(linalg::GenericOp op,
                                               PoolOp pool, bool sameIndices) {
  Block &body = *op.getBody();
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(last) ||
      last->getBlock() != &body)
    return std::nullopt;
  unsigned other = 1;
  if (isa<arith::MulFOp>(last) && last->getOperand(1) == body.getArgument(0))
    other = 0;
  if (last->getOperand(1 - other) != body.getArgument(0))
    return std::nullopt;
  Value divisor = last->getOperand(other);
  double area = 1;
  for (int64_t size : pool.getWindow())
    area *= static_cast<double>(size);
  if (auto constant = dyn_cast_or_null<FloatAttr>(getScalarConstant(divisor))) {
    // A factor is the reciprocal, rounded to the type of the elements.
    FloatAttr expected = FloatAttr::get(
        divisor.getType(), isa<arith::DivFOp>(last) ? area : 1 / area);
    if (constant == expected)
      return false;
    return std::nullopt;
  }
  if (isa<arith::DivFOp>(last) && sameIndices &&
      dividesByCovered(divisor, op, pool))
    return true;
  return std::nullopt;
}

void memfmt::populateAverageRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseAverage>(patterns.getContext());
}
