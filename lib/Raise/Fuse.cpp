//===- Fuse.cpp - fuse element-wise tails into epilogues --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/ScalarBody.h"
#include "memfmt/Raise/Passes.h"

#include "memfmt/IR/ComputeInterfaces.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace memfmt {
#define GEN_PASS_DEF_FUSE
#include "memfmt/Raise/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// Element-wise, one result of the shape of its loops, a body that also runs on
/// vectors.
static bool isTail(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() == 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  Block &body = *op.getBody();
  return body.getArguments().back().use_empty() && isScalarBody(body);
}

/// How an operand reaches the rank of the result: as it is, or by new axes of
/// size 1. Failure where it would have to be permuted.
static FailureOr<SmallVector<ReassociationIndices>>
getExpansion(RankedTensorType type, AffineMap map) {
  int64_t rank = map.getNumDims(), missing = rank - type.getRank();
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 1 && isa<AffineDimExpr>(map.getResult(0))) {
    groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
    return groups;
  }
  if (missing < 0 || type.getRank() == 0)
    return failure();
  // Right-aligned: result i runs with loop missing + i, or stays at 0.
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool aligned = dim ? static_cast<int64_t>(dim.getPosition()) ==
                             missing + static_cast<int64_t>(i)
                       : type.getDimSize(i) == 1;
    if (!aligned)
      return failure();
    groups.push_back({});
    for (int64_t axis = i == 0 ? 0 : missing + i;
         axis <= missing + static_cast<int64_t>(i); ++axis)
      groups.back().push_back(axis);
  }
  return groups;
}

/// Sizes after the expansion: those of the operand where it has them, else 1.
static RankedTensorType getExpandedType(RankedTensorType type, AffineMap map) {
  SmallVector<int64_t> shape(map.getNumDims(), 1);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      shape[dim.getPosition()] = type.getDimSize(i);
  return RankedTensorType::get(shape, type.getElementType());
}

/// How an operand of an element-wise operation is indexed by its result.
static AffineMap getBroadcastMap(ElementwiseOp op, unsigned operand) {
  MLIRContext *context = op.getContext();
  RankedTensorType result = op.getResult().getType();
  int64_t rank = result.getRank();
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  bool slopes = op.getKind() == ElementwiseKind::prelu && operand == 1;
  int64_t first = slopes ? 1 : rank - type.getRank();
  SmallVector<AffineExpr> results;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.getDimSize(axis) == 1 && result.getDimSize(first + axis) != 1)
      results.push_back(getAffineConstantExpr(0, context));
    else
      results.push_back(getAffineDimExpr(first + axis, context));
  return AffineMap::get(rank, 0, results, context);
}

/// The scalars of an element-wise operation, written out.
static Value buildBody(ElementwiseOp op, OpBuilder &builder, Location loc,
                       ValueRange arguments, ArrayRef<unsigned> argumentOf) {
  ImplicitLocOpBuilder b(loc, builder);
  SmallVector<Value> indices;
  for (int64_t axis = 0; axis < op.getResult().getType().getRank(); ++axis)
    indices.push_back(linalg::IndexOp::create(b, axis));
  auto read = [&](unsigned operand, ValueRange) {
    return isa<TensorType>(op->getOperand(operand).getType())
               ? arguments[argumentOf[operand]]
               : op->getOperand(operand);
  };
  auto size = [&](unsigned operand, int64_t axis) -> Value {
    return tensor::DimOp::create(b, op->getOperand(operand), axis);
  };
  Value element = cast<ElementOpInterface>(op.getOperation())
                      .buildElement(b, 0, indices, {read, size});
  Block *body = builder.getInsertionBlock();
  for (Operation &unused : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (&unused != element.getDefiningOp() && isOpTriviallyDead(&unused))
      unused.erase();
  return element;
}

namespace {
/// An element-wise operation joins others as the scalars that it computes.
struct SpellOut : OpRewritePattern<ElementwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    if (op.getInto() || !isa<ElementOpInterface>(op.getOperation()) ||
        type.getEncoding() || type.getRank() == 0)
      return failure();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<unsigned> argumentOf(op->getNumOperands());
    Value like;
    for (auto [operand, value] : llvm::enumerate(op.getInputs())) {
      auto input = dyn_cast<RankedTensorType>(value.getType());
      if (!input)
        continue;
      if (input.getEncoding())
        return failure();
      maps.push_back(getBroadcastMap(op, operand));
      if (maps.back().isIdentity())
        like = value;
      argumentOf[operand] = inputs.size();
      inputs.push_back(value);
    }
    if (!type.hasStaticShape() && !like)
      return failure();
    SmallVector<OpFoldResult> sizes;
    for (auto [axis, size] : llvm::enumerate(type.getShape()))
      sizes.push_back(
          ShapedType::isDynamic(size)
              ? tensor::getMixedSize(rewriter, op.getLoc(), like, axis)
              : rewriter.getIndexAttr(size));
    Value init = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                         type.getElementType());
    maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, inputs, init, maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          Value element = buildBody(op, builder, loc, arguments, argumentOf);
          linalg::YieldOp::create(builder, loc, element);
        });
    return success();
  }
};

struct Fuse : memfmt::impl::FuseBase<Fuse> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SpellOut>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<linalg::GenericOp> tails;
      getOperation().walk([&](linalg::GenericOp op) { tails.push_back(op); });
      for (linalg::GenericOp tail : tails)
        if (isTail(tail))
          if (OpOperand *operand = findProducer(tail)) {
            fuse(tail, operand);
            changed = true;
            ++numFused;
          }
    }
    fuseElementwise();
  }

private:
  static OpOperand *findProducer(linalg::GenericOp tail);
  void fuse(linalg::GenericOp tail, OpOperand *operand);
  void fuseElementwise();
};
} // namespace

/// The operand whose producer takes the tail in: the last one in the block.
OpOperand *Fuse::findProducer(linalg::GenericOp tail) {
  OpOperand *best = nullptr;
  auto result = cast<RankedTensorType>(tail.getResult(0).getType());
  for (OpOperand *operand : tail.getDpsInputOperands()) {
    AffineMap map = tail.getMatchingIndexingMap(operand);
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      return nullptr;
    Operation *producer = operand->get().getDefiningOp();
    if (map.isIdentity()) {
      if (isa_and_nonnull<EpilogueOpInterface>(producer) &&
          producer->hasOneUse() && producer->getBlock() == tail->getBlock() &&
          type.getShape() == result.getShape() &&
          (!best || best->get().getDefiningOp()->isBeforeInBlock(producer)))
        best = operand;
      continue;
    }
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !type.hasStaticShape() || failed(getExpansion(type, map)))
      return nullptr;
  }
  return best;
}

/// Replaces the tail by a copy of its producer with a longer epilogue, at the
/// place of the tail, where all operands are known.
void Fuse::fuse(linalg::GenericOp tail, OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  OpBuilder builder(tail);
  Operation *fused = builder.clone(*producer);
  fused->getResult(0).setType(tail.getResult(0).getType());
  auto interface = cast<EpilogueOpInterface>(fused);
  Region &region = interface.getEpilogueRegion();
  auto accType = cast<RankedTensorType>(producer->getOperand(0).getType());

  // What the producer stored so far is the element that the tail reads.
  if (region.empty()) {
    Block &block = region.emplaceBlock();
    block.addArgument(accType.getElementType(), tail.getLoc());
    builder.setInsertionPointToEnd(&block);
    YieldOp::create(builder, tail.getLoc(), block.getArgument(0));
  }
  Block &block = region.front();
  auto yield = cast<YieldOp>(block.getTerminator());
  IRMapping mapping;
  SmallVector<Value> added;
  builder.setInsertionPoint(fused);
  for (OpOperand *input : tail.getDpsInputOperands()) {
    BlockArgument argument =
        tail.getBody()->getArgument(input->getOperandNumber());
    if (input == operand) {
      mapping.map(argument, yield.getValue());
      continue;
    }
    Value value = input->get();
    AffineMap map = tail.getMatchingIndexingMap(input);
    if (!map.isIdentity()) {
      auto type = cast<RankedTensorType>(value.getType());
      RankedTensorType expanded = getExpandedType(type, map);
      if (expanded != type)
        value = tensor::ExpandShapeOp::create(builder, tail.getLoc(), expanded,
                                              value, *getExpansion(type, map));
    }
    added.push_back(value);
    mapping.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
  }
  interface.getMutableEpilogueOperands().append(added);
  builder.setInsertionPoint(yield);
  yield.getValueMutable().assign(
      cloneScalarBody(builder, *tail.getBody(), mapping).front());
  tail.getResult(0).replaceAllUsesWith(fused->getResult(0));
  tail.erase();
  producer->erase();
}

/// Element-wise operations with one reader join it, by the upstream patterns.
void Fuse::fuseElementwise() {
  RewritePatternSet patterns(&getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *operand) {
        Operation *producer = operand->get().getDefiningOp();
        return producer && producer->hasOneUse();
      });
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    getOperation().emitWarning("element-wise fusion does not converge");
}
