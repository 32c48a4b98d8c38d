//===- RaisePermute.cpp - networks written in NHWC --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// An operation on (batch, spatial..., channel) is raised between two
// transpositions. Those that restore the order of the source move towards the
// readers, through element-wise operations, padding and concatenation, until
// they meet the next one and cancel. What is left stands at the boundary.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

/// (batch, spatial..., channel) from (batch, channel, spatial...).
static bool isChannelsLast(ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  if (rank < 3 || permutation[0] != 0 || permutation[rank - 1] != 1)
    return false;
  for (int64_t i = 1; i + 1 < rank; ++i)
    if (permutation[i] != i + 1)
      return false;
  return true;
}

/// The transposition that makes `value`, where it puts channels last.
static linalg::TransposeOp getRestore(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (!transpose || !transpose.hasPureTensorSemantics() ||
      !isChannelsLast(transpose.getPermutation()))
    return {};
  return transpose;
}

/// Whether all readers take the transposition in, or are one themselves: it
/// must not be made twice.
static bool canMove(linalg::TransposeOp transpose) {
  return llvm::all_of(transpose->getUsers(), [](Operation *user) {
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      return isElementwise(generic);
    return isa<linalg::TransposeOp, tensor::PadOp, tensor::ConcatOp>(user);
  });
}

namespace {
/// What an element-wise operation reads, and through which map.
struct Reading {
  Value value;
  AffineMap map;
};

/// Element-wise operations run in the order of the source.
struct MoveThroughElementwise : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || !op.getBody()->getArguments().back().use_empty())
      return failure();
    linalg::TransposeOp first;
    SmallVector<Reading> readings;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Reading reading{operand->get(), op.getMatchingIndexingMap(operand)};
      if (reading.map.isIdentity()) {
        if (linalg::TransposeOp transpose = getRestore(reading.value)) {
          if (!canMove(transpose))
            return failure();
          first = transpose;
        } else if (failed(lookThroughBroadcast(reading))) {
          return failure();
        }
      }
      readings.push_back(reading);
    }
    // A shape that knows more sizes than its operand keeps them.
    if (!first || cast<ShapedType>(first->getResult(0).getType()).getShape() !=
                      cast<ShapedType>(op.getResult(0).getType()).getShape())
      return failure();
    move(op, first, readings, rewriter);
    return success();
  }

private:
  static LogicalResult lookThroughBroadcast(Reading &reading);
  static void move(linalg::GenericOp op, linalg::TransposeOp first,
                   ArrayRef<Reading> readings, PatternRewriter &rewriter);
};
} // namespace

/// Reads the source of a broadcast.
LogicalResult MoveThroughElementwise::lookThroughBroadcast(Reading &reading) {
  if (auto broadcast = reading.value.getDefiningOp<linalg::BroadcastOp>()) {
    SmallVector<AffineExpr> kept;
    for (auto [axis, expr] : llvm::enumerate(reading.map.getResults()))
      if (!llvm::is_contained(broadcast.getDimensions(), int64_t(axis)))
        kept.push_back(expr);
    reading = {broadcast.getInput(),
               AffineMap::get(reading.map.getNumDims(), 0, kept,
                              reading.map.getContext())};
    return success();
  }
  auto generic = reading.value.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic) || generic.getNumDpsInputs() != 1 ||
      generic.getBody()->getTerminator()->getOperand(0) !=
          generic.getBody()->getArgument(0))
    return failure();
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  if (map.isIdentity())
    return failure();
  reading = {generic.getInputs()[0], map.compose(reading.map)};
  return success();
}

void MoveThroughElementwise::move(linalg::GenericOp op,
                                  linalg::TransposeOp first,
                                  ArrayRef<Reading> readings,
                                  PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> permutation = first.getPermutation();
  unsigned rank = permutation.size();
  // Loop i of the old operation is loop permutation[i] of the new one.
  AffineMap rename = AffineMap::getPermutationMap(permutation, op.getContext());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  for (const Reading &reading : readings) {
    bool restored = reading.map.isIdentity();
    inputs.push_back(restored ? getRestore(reading.value).getInput()
                              : reading.value);
    maps.push_back(restored ? identity : reading.map.compose(rename));
  }
  maps.push_back(identity);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, first.getInput()),
      type.getElementType());
  auto created = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, inputs, ValueRange{empty},
      maps, op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), created.getRegion(),
                             created.getRegion().end());
  created.getRegion().walk([&](linalg::IndexOp index) {
    rewriter.modifyOpInPlace(
        index, [&] { index.setDim(permutation[index.getDim()]); });
  });
  rewriter.setInsertionPointAfter(created);
  rewriter.replaceOp(
      op, permuteAxes(rewriter, loc, created.getResult(0), permutation));
}

/// The same padding of permuted axes; axis i is axis `permutation[i]`.
static Value permutePad(tensor::PadOp pad, Value source,
                        ArrayRef<int64_t> permutation,
                        PatternRewriter &rewriter) {
  SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                            high = pad.getMixedHighPad(), newLow, newHigh;
  for (int64_t axis : permutation) {
    newLow.push_back(low[axis]);
    newHigh.push_back(high[axis]);
  }
  RankedTensorType type = permuteType(pad.getResultType(), permutation);
  return tensor::PadOp::create(rewriter, pad.getLoc(), type, source, newLow,
                               newHigh, pad.getConstantPaddingValue(),
                               pad.getNofold());
}

static bool feedsSemanticOp(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<ConvOp, PoolOp>(user);
  });
}

namespace {
struct MoveThroughPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    linalg::TransposeOp transpose = getRestore(op.getSource());
    if (!transpose || !canMove(transpose) || feedsSemanticOp(op) ||
        !op.getConstantPaddingValue())
      return failure();
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    Value padded = permutePad(op, transpose.getInput(),
                              invertPermutationVector(permutation), rewriter);
    rewriter.replaceOp(op,
                       permuteAxes(rewriter, op.getLoc(), padded, permutation));
    return success();
  }
};

/// Padding before the transposition of an input moves behind it, where it can
/// become the padding of the operation.
struct MovePadToReader : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !feedsSemanticOp(op) ||
        !isChannelsLast(invertPermutationVector(op.getPermutation())))
      return failure();
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    if (!pad || !pad->hasOneUse() || !pad.getConstantPaddingValue())
      return failure();
    Value source = permuteAxes(rewriter, op.getLoc(), pad.getSource(),
                               op.getPermutation());
    rewriter.replaceOp(op,
                       permutePad(pad, source, op.getPermutation(), rewriter));
    return success();
  }
};

struct MoveThroughConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    ArrayRef<int64_t> permutation;
    for (Value input : op.getInputs()) {
      linalg::TransposeOp transpose = getRestore(input);
      if (!transpose || !canMove(transpose))
        return failure();
      permutation = transpose.getPermutation();
      inputs.push_back(transpose.getInput());
    }
    if (inputs.empty())
      return failure();
    auto joined = tensor::ConcatOp::create(rewriter, op.getLoc(),
                                           permutation[op.getDim()], inputs);
    rewriter.replaceOp(op,
                       permuteAxes(rewriter, op.getLoc(), joined, permutation));
    return success();
  }
};
} // namespace

void memfmt::populatePermuteRecognisers(RewritePatternSet &patterns) {
  patterns.add<MoveThroughElementwise, MoveThroughPad, MovePadToReader,
               MoveThroughConcat>(patterns.getContext());
  linalg::TransposeOp::getCanonicalizationPatterns(patterns,
                                                   patterns.getContext());
}
