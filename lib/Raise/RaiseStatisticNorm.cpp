//===- RaiseStatisticNorm.cpp - layer, group, instance norm -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// (x - mean) / sqrt(variance + epsilon) * scale + offset, where mean and
// variance are those of x itself over some axes. Group norm sees its input as
// (batch, group, rest...) and reshapes the normalised tensor back.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"
#include "Reductions.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// A tensor normalised over `axes`, and factors and summands that are left.
struct Normalized {
  Value input;
  SmallVector<int64_t> axes;
  double epsilon = 0;
  SmallVector<Expression> scales;
};

/// What follows a normalisation; a missing part is null.
struct Affine {
  std::optional<Expression> scale, offset;
};
} // namespace

/// `x - mean(x)`; `mean` is set.
static LogicalResult matchCentred(const Expression &difference, int64_t rank,
                                  Reduction &mean) {
  if (!difference.getOp<arith::SubFOp>())
    return failure();
  FailureOr<Reduction> found = matchMean(difference.getOperand(1), rank);
  Value input = difference.getOperand(0).getIdentityTensor();
  if (failed(found) || !input || found->input != input)
    return failure();
  mean = *found;
  return success();
}

/// Whether a scalar is the mean of squares of x - mean(x), for this mean.
static bool isVariance(const Expression &variance, int64_t rank,
                       const Reduction &mean) {
  FailureOr<Reduction> squares = matchMean(variance, rank);
  if (failed(squares) || squares->axes != mean.axes)
    return false;
  Expression square = Expression::ofElement(squares->input);
  if (!square.getOp<arith::MulFOp>())
    return false;
  for (unsigned i : {0, 1}) {
    Reduction other;
    if (failed(matchCentred(square.getOperand(i), rank, other)) ||
        other.input != mean.input || other.axes != mean.axes)
      return false;
  }
  return true;
}

static FailureOr<Normalized> matchNormalized(const Expression &product,
                                             int64_t rank) {
  SmallVector<Expression> factors;
  collectFactors(product, factors);
  Normalized result;
  Reduction mean;
  Expression variance;
  bool hasDeviation = false;
  for (const Expression &factor : factors) {
    if (!result.input && succeeded(matchCentred(factor, rank, mean))) {
      result.input = mean.input;
      result.axes = mean.axes;
    } else if (!hasDeviation && succeeded(matchInverseDeviation(
                                    factor, variance, result.epsilon))) {
      hasDeviation = true;
    } else {
      result.scales.push_back(factor);
    }
  }
  if (!result.input || !hasDeviation || !isVariance(variance, rank, mean))
    return failure();
  return result;
}

/// The tensor before a reshape; null where there is none.
static Value getReshapeSource(Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0);
  return {};
}

/// The input of a normalisation over groups of channels that `tensor` is a
/// reshape of; `groups` and `epsilon` are set.
static Value matchGroups(Value tensor, int64_t &groups, double &epsilon) {
  Value inner = getReshapeSource(tensor);
  if (!inner)
    return {};
  auto type = cast<RankedTensorType>(inner.getType()),
       outer = cast<RankedTensorType>(tensor.getType());
  FailureOr<Normalized> found =
      matchNormalized(Expression::ofElement(inner), type.getRank());
  if (failed(found) || !found->scales.empty() || type.getRank() < 3 ||
      !type.hasStaticShape() || !outer.hasStaticShape())
    return {};
  Value source = getReshapeSource(found->input);
  if (!source || source.getType() != outer || outer.getRank() < 3 ||
      found->axes != llvm::to_vector(llvm::seq<int64_t>(2, type.getRank())) ||
      type.getDimSize(0) != outer.getDimSize(0) ||
      outer.getDimSize(1) % type.getDimSize(1) != 0)
    return {};
  groups = type.getDimSize(1);
  epsilon = found->epsilon;
  return source;
}

namespace {
struct RaiseStatisticNorm : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() < 2 || !type.hasStaticShape() ||
        !isa<FloatType>(type.getElementType()))
      return failure();
    Expression root = Expression::ofElement(op.getResult(0));
    // With an offset first: without it, the sum is no product.
    if (root.getOp<arith::AddFOp>())
      for (unsigned i : {0, 1})
        if (succeeded(rewrite(op, root.getOperand(i), root.getOperand(1 - i),
                              rewriter)))
          return success();
    return rewrite(op, root, std::nullopt, rewriter);
  }

private:
  static LogicalResult rewrite(linalg::GenericOp op, const Expression &product,
                               std::optional<Expression> offset,
                               PatternRewriter &rewriter);
  static LogicalResult rewriteGroups(linalg::GenericOp op,
                                     const Expression &product,
                                     std::optional<Expression> offset,
                                     PatternRewriter &rewriter);
  static LogicalResult rewriteLayer(linalg::GenericOp op,
                                    const Normalized &found,
                                    const Affine &affine,
                                    PatternRewriter &rewriter);
};
} // namespace

/// Scale and offset as vectors of channels; a failure where they are none.
static FailureOr<std::array<Value, 2>>
createChannelVectors(const Affine &affine, RankedTensorType type, Location loc,
                     PatternRewriter &rewriter) {
  std::array<std::optional<ChannelOperand>, 2> operands;
  for (auto [part, operand] : {std::pair{&affine.scale, &operands[0]},
                               std::pair{&affine.offset, &operands[1]}}) {
    if (!*part)
      continue;
    FailureOr<ChannelOperand> found =
        matchChannelOperand(**part, 1, type.getDimSize(1));
    if (failed(found) || found->getElementType() != type.getElementType())
      return failure();
    *operand = *found;
  }
  std::array<Value, 2> vectors;
  for (unsigned i : {0, 1})
    if (operands[i])
      vectors[i] = operands[i]->createVector(rewriter, loc);
  return vectors;
}

/// A tensor of the shape of the last `axes` axes that is read along these, or a
/// constant of that shape; null where it is neither.
static OpFoldResult matchLastAxes(const Expression &scalar, int64_t axes,
                                  RankedTensorType type) {
  auto last = RankedTensorType::get(type.getShape().take_back(axes),
                                    type.getElementType());
  if (TypedAttr constant = scalar.getConstant()) {
    if (constant.getType() != type.getElementType())
      return {};
    return Attribute(
        SplatElementsAttr::get(last, ArrayRef<Attribute>(constant)));
  }
  Value tensor = scalar.getTensor();
  if (!tensor || tensor.getType() != last)
    return {};
  for (auto [i, expr] : llvm::enumerate(scalar.getMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t axis = type.getRank() - axes + i;
    if (dim ? int64_t(dim.getPosition()) != axis : type.getDimSize(axis) != 1)
      return {};
  }
  return tensor;
}

LogicalResult RaiseStatisticNorm::rewriteLayer(linalg::GenericOp op,
                                               const Normalized &found,
                                               const Affine &affine,
                                               PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  int64_t count = found.axes.size();
  if (found.axes != llvm::to_vector(llvm::seq<int64_t>(type.getRank() - count,
                                                       type.getRank())))
    return failure();
  std::array<OpFoldResult, 2> parts;
  for (auto [part, found] : {std::pair{&affine.scale, &parts[0]},
                             std::pair{&affine.offset, &parts[1]}})
    if (*part) {
      *found = matchLastAxes(**part, count, type);
      if (!*found)
        return failure();
    }
  std::array<Value, 2> operands;
  for (auto [part, operand] : llvm::zip_equal(parts, operands)) {
    if (auto constant = dyn_cast_if_present<Attribute>(part))
      operand = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          cast<TypedAttr>(constant));
    else
      operand = dyn_cast_if_present<Value>(part);
  }
  rewriter.replaceOpWithNewOp<LayerNormOp>(op, type, found.input, operands[0],
                                           operands[1], count,
                                           llvm::APFloat(found.epsilon));
  return success();
}

LogicalResult RaiseStatisticNorm::rewriteGroups(
    linalg::GenericOp op, const Expression &product,
    std::optional<Expression> offset, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<Expression> factors;
  collectFactors(product, factors);
  if (factors.size() > 2 || (factors.size() == 1 && !offset))
    return failure();
  for (unsigned i = 0, e = factors.size(); i < e; ++i) {
    int64_t groups;
    double epsilon;
    Value input = matchGroups(factors[i].getIdentityTensor(), groups, epsilon);
    if (!input || input.getType() != type)
      continue;
    Affine affine{std::nullopt, offset};
    if (e == 2)
      affine.scale = factors[1 - i];
    FailureOr<std::array<Value, 2>> vectors =
        createChannelVectors(affine, type, op.getLoc(), rewriter);
    if (failed(vectors))
      return failure();
    rewriter.replaceOpWithNewOp<GroupNormOp>(op, type, input, (*vectors)[0],
                                             (*vectors)[1], groups,
                                             llvm::APFloat(epsilon));
    return success();
  }
  return failure();
}

LogicalResult RaiseStatisticNorm::rewrite(linalg::GenericOp op,
                                          const Expression &product,
                                          std::optional<Expression> offset,
                                          PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  FailureOr<Normalized> found = matchNormalized(product, type.getRank());
  if (failed(found))
    return rewriteGroups(op, product, offset, rewriter);
  if (found->input.getType() != type || found->scales.size() > 1)
    return failure();
  Affine affine{std::nullopt, offset};
  if (!found->scales.empty())
    affine.scale = found->scales.front();
  bool overPixels =
      type.getRank() > 2 &&
      found->axes == llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
  if (overPixels) {
    FailureOr<std::array<Value, 2>> vectors =
        createChannelVectors(affine, type, op.getLoc(), rewriter);
    if (succeeded(vectors)) {
      rewriter.replaceOpWithNewOp<InstanceNormOp>(
          op, type, found->input, (*vectors)[0], (*vectors)[1],
          rewriter.getF64FloatAttr(found->epsilon));
      return success();
    }
  }
  return rewriteLayer(op, *found, affine, rewriter);
}

void memfmt::populateStatisticNormRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseStatisticNorm>(patterns.getContext());
}
