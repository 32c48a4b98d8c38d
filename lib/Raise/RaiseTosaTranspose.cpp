//===- RaiseTosaTranspose.cpp - transpositions of TOSA meet -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Transpositions that restore the order of TOSA move towards the readers until
// they meet the next one and cancel. Batch norms and the like are then written
// over (batch, channel, spatial...), where memfmt-raise looks for them.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Tosa.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

static SmallVector<int64_t> getPermutation(tosa::TransposeOp op) {
  return SmallVector<int64_t>(op.getPerms());
}

/// The transposition from (batch, channel, spatial...) to (batch, spatial...,
/// channel) that makes `value`, or null.
static tosa::TransposeOp getRestore(Value value) {
  auto transpose = value.getDefiningOp<tosa::TransposeOp>();
  if (!transpose || !isa<RankedTensorType>(transpose.getInput1().getType()) ||
      transpose.getPerms().size() < 3)
    return {};
  SmallVector<int64_t> first =
      getChannelsFirst(int64_t(transpose.getPerms().size()));
  if (getPermutation(transpose) != invertPermutationVector(first))
    return {};
  return transpose;
}

/// Whether all readers take the transposition in, or are one themselves: it
/// must not be made twice.
static bool canMove(tosa::TransposeOp transpose) {
  return llvm::all_of(transpose->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::tosa::TosaElementwiseOperator>() ||
           isa<tosa::TransposeOp, tosa::MulOp, tosa::CastOp, tosa::SliceOp,
               tosa::ConcatOp, tosa::PadOp>(user);
  });
}

/// Whether at most one axis has another size than 1: its transposition is a
/// renaming.
static bool isVector(RankedTensorType type) {
  return llvm::count_if(type.getShape(),
                        [](int64_t size) { return size != 1; }) <= 1 &&
         type.hasStaticShape();
}

/// Operands of an element-wise operation in the order of the source; failure
/// where one would have to be transposed when the program runs.
static FailureOr<SmallVector<Value>> moveOperands(Operation *op,
                                                  ArrayRef<int64_t> inverse,
                                                  PatternRewriter &rewriter) {
  int64_t rank = inverse.size();
  auto isMovable = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    // What has another rank is a shift or a zero point.
    return type && (type.getRank() != rank || isVector(type) ||
                    getRestore(value) || matchPattern(value, m_Constant()));
  };
  if (!llvm::all_of(op->getOperands(), isMovable))
    return failure();
  return llvm::map_to_vector(op->getOperands(), [&](Value value) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != rank)
      return value;
    if (tosa::TransposeOp restore = getRestore(value))
      return restore.getInput1();
    if (isVector(type))
      return reshapeTosa(rewriter, op->getLoc(), value,
                         permuteType(type, inverse).getShape());
    return transposeTosa(rewriter, op->getLoc(), value, inverse);
  });
}

static LogicalResult moveElementwise(Operation *op, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || op->getNumResults() != 1)
    return failure();
  tosa::TransposeOp first;
  for (Value operand : op->getOperands())
    if (tosa::TransposeOp restore = getRestore(operand)) {
      if (!canMove(restore))
        return failure();
      first = restore;
    }
  if (!first || int64_t(first.getPerms().size()) != type.getRank())
    return failure();
  SmallVector<int64_t> permutation = getPermutation(first);
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  FailureOr<SmallVector<Value>> operands = moveOperands(op, inverse, rewriter);
  if (failed(operands))
    return failure();
  Operation *moved = rewriter.clone(*op);
  moved->setOperands(*operands);
  moved->getResult(0).setType(permuteType(type, inverse));
  rewriter.replaceOp(op, transposeTosa(rewriter, op->getLoc(),
                                       moved->getResult(0), permutation));
  return success();
}

namespace {
/// Two in a row are one or none.
struct ComposeTransposes : OpRewritePattern<tosa::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput1().getDefiningOp<tosa::TransposeOp>();
    if (!before || !isa<RankedTensorType>(before.getInput1().getType()))
      return failure();
    SmallVector<int64_t> inner = getPermutation(before), composed;
    for (int64_t axis : getPermutation(op))
      composed.push_back(inner[axis]);
    Value result =
        transposeTosa(rewriter, op.getLoc(), before.getInput1(), composed);
    if (result.getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A transposition that only moves axes of size 1 is a reshape; next to a
/// reshape both are one, or none.
template <typename OuterT, typename InnerT>
struct MergeReshape : OpRewritePattern<OuterT> {
  using OpRewritePattern<OuterT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OuterT op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput1().template getDefiningOp<InnerT>();
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!inner || !type || !type.hasStaticShape())
      return failure();
    auto source = dyn_cast<RankedTensorType>(inner.getInput1().getType());
    if (!source || !source.hasStaticShape() || !movesNothing(op) ||
        !movesNothing(inner))
      return failure();
    rewriter.replaceOp(op, reshapeTosa(rewriter, op.getLoc(), inner.getInput1(),
                                       type.getShape()));
    return success();
  }

private:
  static bool movesNothing(tosa::ReshapeOp) { return true; }
  static bool movesNothing(tosa::TransposeOp op) {
    auto type = cast<RankedTensorType>(op.getInput1().getType());
    int64_t last = -1;
    for (int64_t axis : getPermutation(op)) {
      if (type.getDimSize(axis) == 1)
        continue;
      if (axis < last)
        return false;
      last = axis;
    }
    return true;
  }
};

/// Element-wise operations run in the order of the source.
struct MoveThroughElementwise
    : OpTraitRewritePattern<OpTrait::tosa::TosaElementwiseOperator> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return moveElementwise(op, rewriter);
  }
};
template <typename OpT> struct MoveThroughOne : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    return moveElementwise(op, rewriter);
  }
};

struct MoveThroughConcat : OpRewritePattern<tosa::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    SmallVector<Value> sources;
    SmallVector<int64_t> permutation;
    for (Value input : op.getInput1()) {
      tosa::TransposeOp restore = getRestore(input);
      if (!restore || !canMove(restore))
        return failure();
      permutation = getPermutation(restore);
      sources.push_back(restore.getInput1());
    }
    if (!type || sources.empty())
      return failure();
    auto moved = tosa::ConcatOp::create(
        rewriter, op.getLoc(),
        permuteType(type, invertPermutationVector(permutation)), sources,
        rewriter.getI32IntegerAttr(permutation[op.getAxis()]));
    rewriter.replaceOp(
        op, transposeTosa(rewriter, op.getLoc(), moved, permutation));
    return success();
  }
};

/// A slice of a transposed image is a transposed slice, where all readers turn
/// it back.
struct MoveThroughSlice : OpRewritePattern<tosa::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput1().getDefiningOp<tosa::TransposeOp>();
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!before || !type || !type.hasStaticShape() ||
        !llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<tosa::TransposeOp, tosa::SliceOp>(user);
        }))
      return failure();
    FailureOr<SmallVector<int64_t>> start = getConstantShape(op.getStart());
    if (failed(start))
      return failure();
    SmallVector<int64_t> permutation = getPermutation(before);
    SmallVector<int64_t> inverse = invertPermutationVector(permutation);
    SmallVector<int64_t> offsets = applyPermutation(*start, inverse);
    RankedTensorType sliced = permuteType(type, inverse);
    auto shape = [&](ArrayRef<int64_t> sizes) -> Value {
      return tosa::ConstShapeOp::create(
          rewriter, op.getLoc(),
          tosa::shapeType::get(op.getContext(), sizes.size()),
          rewriter.getIndexTensorAttr(sizes));
    };
    Value slice =
        tosa::SliceOp::create(rewriter, op.getLoc(), sliced, before.getInput1(),
                              shape(offsets), shape(sliced.getShape()));
    rewriter.replaceOp(
        op, transposeTosa(rewriter, op.getLoc(), slice, permutation));
    return success();
  }
};
} // namespace

void memfmt::populateTosaTransposePatterns(RewritePatternSet &patterns) {
  patterns
      .add<ComposeTransposes, MergeReshape<tosa::TransposeOp, tosa::ReshapeOp>,
           MergeReshape<tosa::ReshapeOp, tosa::TransposeOp>,
           MoveThroughElementwise, MoveThroughOne<tosa::MulOp>,
           MoveThroughOne<tosa::CastOp>, MoveThroughConcat, MoveThroughSlice>(
          patterns.getContext());
}
