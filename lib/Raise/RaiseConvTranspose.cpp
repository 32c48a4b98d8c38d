//===- RaiseConvTranspose.cpp - transposed convolutions ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers write a transposed convolution as an insertion of the image, with
// strides, into zeros, and a convolution of that with the flipped filter.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Expression.h"
#include "Recognisers.h"
#include "ScalarEvaluator.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// Where the image lies among the zeros, for each spatial axis.
struct Insertion {
  Value image;
  SmallVector<int64_t> offsets, strides, after;
};
} // namespace

static FailureOr<Insertion> matchInsertion(Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isZero(getFillValue(insert.getDest())))
    return failure();
  RankedTensorType type = insert.getType(), image = insert.getSourceType();
  auto offsets = getConstantIntValues(insert.getMixedOffsets());
  auto strides = getConstantIntValues(insert.getMixedStrides());
  if (!offsets || !strides || !type.hasStaticShape() ||
      !image.hasStaticShape() || image.getRank() != type.getRank())
    return failure();
  for (int64_t axis : {0, 1})
    if (image.getDimSize(axis) != type.getDimSize(axis))
      return failure();
  if (!areForward(*strides))
    return failure();
  Insertion insertion;
  insertion.image = insert.getSource();
  for (int64_t axis = 2; axis < type.getRank(); ++axis) {
    int64_t last =
        (*offsets)[axis] + (image.getDimSize(axis) - 1) * (*strides)[axis];
    insertion.offsets.push_back((*offsets)[axis]);
    insertion.strides.push_back((*strides)[axis]);
    insertion.after.push_back(type.getDimSize(axis) - 1 - last);
  }
  return insertion;
}

/// The filter (C, K, window...) that a gather turns to (K, C, window...) with
/// every window backwards.
static Value matchFlippedFilter(Value filter) {
  auto generic = filter.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic))
    return {};
  auto type = cast<RankedTensorType>(filter.getType());
  Block &body = *generic.getBody();
  auto extract =
      body.getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != &body || !type.hasStaticShape())
    return {};
  auto source = cast<RankedTensorType>(extract.getTensor().getType());
  if (source.getRank() != type.getRank() ||
      source.getElementType() != type.getElementType())
    return {};
  ScalarEvaluator evaluator;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    unsigned loop = axis < 2 ? 1 - axis : axis;
    int64_t size = type.getDimSize(loop);
    Value index = extract.getIndices()[axis];
    if (source.getDimSize(axis) != size ||
        evaluator.getLoops(index, generic) & ~(uint64_t(1) << loop))
      return {};
    SmallVector<int64_t> loops(type.getRank(), 0);
    for (int64_t i = 0; i < size; ++i) {
      loops[loop] = i;
      int64_t expected = axis < 2 ? i : size - 1 - i;
      if (getInteger(evaluator.evaluate(index, generic, loops)) != expected)
        return {};
    }
  }
  return extract.getTensor();
}

namespace {
struct RaiseConvTranspose : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getGroups() != 1 || !op.getEpilogue().empty() ||
        llvm::any_of(op.getStrides(), [](int64_t s) { return s != 1; }))
      return failure();
    FailureOr<Insertion> insertion = matchInsertion(op.getInput());
    if (failed(insertion))
      return failure();
    Value filter = matchFlippedFilter(op.getFilter());
    if (!filter)
      return rewriter.notifyMatchFailure(op, "the filter is not flipped");
    // A transposed convolution without padding has as many zeros on both sides
    // as its window reaches; padding is what is missing there.
    SmallVector<int64_t> low, high, extra;
    auto type = cast<RankedTensorType>(filter.getType());
    for (unsigned axis = 0; axis < insertion->strides.size(); ++axis) {
      int64_t reach = op.getDilations()[axis] * (type.getDimSize(axis + 2) - 1);
      low.push_back(reach - insertion->offsets[axis] - op.getPadLow()[axis]);
      int64_t missing = reach - insertion->after[axis] - op.getPadHigh()[axis];
      high.push_back(std::max<int64_t>(missing, 0));
      extra.push_back(std::max<int64_t>(-missing, 0));
      if (low.back() < 0 || extra.back() >= std::max(insertion->strides[axis],
                                                     op.getDilations()[axis]))
        return rewriter.notifyMatchFailure(op, "has zeros beyond its reach");
    }
    rewriter.replaceOpWithNewOp<ConvTransposeOp>(
        op, op.getResult().getType(), insertion->image, filter, op.getBias(),
        insertion->strides, low, high, op.getDilations(), extra,
        /*groups=*/1);
    return success();
  }
};
} // namespace

void memfmt::populateConvTransposeRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseConvTranspose>(patterns.getContext());
}
