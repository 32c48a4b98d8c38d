//===- RaiseShuffle.cpp - pixel and channel shuffles ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Shuffles are written as a reshape, a transposition and a reshape. What these
// do together is compared in a normal form: factors of the source's sizes, in
// the order of the result, without sizes of 1 and with factors joined that stay
// together.
//
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// The source seen as `sizes`, read in the order `order`.
struct Rearrangement {
  SmallVector<int64_t> sizes, order;

  bool operator==(const Rearrangement &other) const {
    return sizes == other.sizes && order == other.order;
  }
};
} // namespace

static Rearrangement normalize(const Rearrangement &given) {
  // Place of each factor in the result; factors of size 1 have none.
  SmallVector<int64_t> place(given.sizes.size(), -1);
  int64_t next = 0;
  for (int64_t factor : given.order)
    if (given.sizes[factor] != 1)
      place[factor] = next++;
  Rearrangement joined;
  SmallVector<int64_t> firstPlace;
  int64_t last = -2;
  for (auto [factor, size] : llvm::enumerate(given.sizes)) {
    if (size == 1)
      continue;
    if (place[factor] == last + 1 && !joined.sizes.empty()) {
      joined.sizes.back() *= size;
    } else {
      joined.sizes.push_back(size);
      firstPlace.push_back(place[factor]);
    }
    last = place[factor];
  }
  joined.order = llvm::to_vector(llvm::seq<int64_t>(0, joined.sizes.size()));
  llvm::sort(joined.order, [&](int64_t a, int64_t b) {
    return firstPlace[a] < firstPlace[b];
  });
  return joined;
}

/// (N, groups, C / groups, spatial) with the middle two exchanged.
static Rearrangement getChannelShuffle(ArrayRef<int64_t> shape,
                                       int64_t groups) {
  int64_t pixels = 1;
  for (int64_t size : shape.drop_front(2))
    pixels *= size;
  return {{shape[0], groups, shape[1] / groups, pixels}, {0, 2, 1, 3}};
}

/// (N, C, factor..., spatial...) to (N, C, spatial and factor in turn...), for
/// the shape of the side with more channels.
static Rearrangement getPixelShuffle(ArrayRef<int64_t> shape, int64_t factor) {
  int64_t spatial = shape.size() - 2, channels = shape[1];
  for (int64_t i = 0; i < spatial; ++i)
    channels /= factor;
  Rearrangement result{{shape[0], channels}, {0, 1}};
  result.sizes.append(spatial, factor);
  result.sizes.append(shape.begin() + 2, shape.end());
  for (int64_t i = 0; i < spatial; ++i)
    result.order.append({2 + spatial + i, 2 + i});
  return result;
}

static Rearrangement invert(const Rearrangement &given) {
  Rearrangement inverse;
  inverse.order.resize(given.order.size());
  for (auto [i, factor] : llvm::enumerate(given.order)) {
    inverse.sizes.push_back(given.sizes[factor]);
    inverse.order[factor] = i;
  }
  return inverse;
}

/// The factor by which all spatial sizes of `large` exceed those of `small`,
/// where the channels fit; 0 where there is none.
static int64_t getShuffleFactor(ArrayRef<int64_t> small,
                                ArrayRef<int64_t> large) {
  if (large[2] % small[2] != 0)
    return 0;
  int64_t factor = large[2] / small[2], channels = large[1];
  for (size_t axis = 2; axis < small.size(); ++axis) {
    if (large[axis] != small[axis] * factor)
      return 0;
    channels *= factor;
  }
  return factor > 1 && channels == small[1] && large[0] == small[0] ? factor
                                                                    : 0;
}

namespace {
struct RaiseShuffle : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto expanded = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!op.hasPureTensorSemantics() || !op->hasOneUse() ||
        !expanded.hasStaticShape() || expanded.getNumElements() == 0)
      return failure();
    Value source = op.getInput(), result = op->getResult(0);
    if (isReshape(source.getDefiningOp()))
      source = source.getDefiningOp()->getOperand(0);
    Operation *reader = *op->user_begin();
    if (isReshape(reader))
      result = reader->getResult(0);
    if (source == op.getInput() && result == op->getResult(0))
      return failure();
    auto from = cast<RankedTensorType>(source.getType()),
         to = cast<RankedTensorType>(result.getType());
    if (from.getRank() != to.getRank() || from.getRank() < 3 ||
        from.getRank() > 5)
      return failure();
    Rearrangement found =
        normalize({SmallVector<int64_t>(expanded.getShape()),
                   SmallVector<int64_t>(op.getPermutation())});
    Operation *shuffle =
        create(found, source, from, to, op.getLoc(), reader, rewriter);
    if (!shuffle)
      return failure();
    rewriter.replaceOp(result.getDefiningOp(), shuffle);
    return success();
  }

private:
  static bool isReshape(Operation *op) {
    return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  }

  static Operation *create(const Rearrangement &found, Value source,
                           RankedTensorType from, RankedTensorType to,
                           Location loc, Operation *before,
                           PatternRewriter &rewriter);
};
} // namespace

Operation *RaiseShuffle::create(const Rearrangement &found, Value source,
                                RankedTensorType from, RankedTensorType to,
                                Location loc, Operation *before,
                                PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = from.getShape();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(before);
  if (from == to) {
    for (int64_t groups = 2; groups < shape[1]; ++groups)
      if (shape[1] % groups == 0 &&
          normalize(getChannelShuffle(shape, groups)) == found)
        return ChannelShuffleOp::create(rewriter, loc, to, source, groups);
    return nullptr;
  }
  if (int64_t factor = getShuffleFactor(shape, to.getShape()))
    if (normalize(getPixelShuffle(shape, factor)) == found)
      return PixelShuffleOp::create(rewriter, loc, to, source, factor);
  if (int64_t factor = getShuffleFactor(to.getShape(), shape))
    if (normalize(invert(getPixelShuffle(to.getShape(), factor))) == found)
      return PixelUnshuffleOp::create(rewriter, loc, to, source, factor);
  return nullptr;
}

void memfmt::populateShuffleRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseShuffle>(patterns.getContext());
}
