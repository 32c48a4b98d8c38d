//===- Recognisers.cpp - structures that importers spell out ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

bool memfmt::isZero(Attribute value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

bool memfmt::isNegativeInfinity(Attribute value) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative();
}

Value memfmt::getBroadcastChannels(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto broadcast = tensor.getDefiningOp<linalg::BroadcastOp>()) {
    auto input = cast<RankedTensorType>(broadcast.getInput().getType());
    if (input.getRank() != 1 ||
        llvm::is_contained(broadcast.getDimensions(), axis))
      return {};
    return broadcast.getInput();
  }
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic) || generic.getNumDpsInputs() != 1)
    return {};
  Block &body = *generic.getBody();
  if (body.getTerminator()->getOperand(0) != body.getArgument(0))
    return {};
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  MLIRContext *context = tensor.getContext();
  if (map != AffineMap::get(type.getRank(), 0, getAffineDimExpr(axis, context)))
    return {};
  return generic.getInputs()[0];
}

Value memfmt::getChannelVector(Value operand, AffineMap map, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || static_cast<int64_t>(map.getNumDims()) != rank)
    return {};
  // Exactly one result runs, with loop 1; the others stay at 0 of size 1.
  int64_t channel = -1;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && dim.getPosition() == 1 && channel < 0)
      channel = i;
    else if (type.getDimSize(i) != 1)
      return {};
  }
  if (channel < 0)
    return {};
  if (type.getRank() == 1)
    return operand;
  auto expand = operand.getDefiningOp<tensor::ExpandShapeOp>();
  if (expand && expand.getSrcType().getRank() == 1)
    return expand.getSrc();
  return {};
}

FailureOr<BinaryGeneric> memfmt::matchBinary(Value value, StringRef opName) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic) || generic.getNumDpsInputs() != 2)
    return failure();
  Block &body = *generic.getBody();
  if (!llvm::hasSingleElement(body.without_terminator()))
    return failure();
  Operation &op = body.front();
  if (op.getName().getStringRef() != opName ||
      body.getTerminator()->getOperand(0) != op.getResult(0))
    return failure();
  unsigned first = op.getOperand(0) == body.getArgument(0) ? 0 : 1;
  if (op.getOperand(0) != body.getArgument(first) ||
      op.getOperand(1) != body.getArgument(1 - first))
    return failure();
  auto map = [&](unsigned i) {
    return generic.getMatchingIndexingMap(generic.getDpsInputOperand(i));
  };
  return BinaryGeneric{generic, generic.getInputs()[first],
                       generic.getInputs()[1 - first], map(first),
                       map(1 - first)};
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

namespace {
/// A splat operand becomes a constant of the body.
struct InlineSplats : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands()) {
      SplatElementsAttr splat;
      if (!matchPattern(input->get(), m_Constant(&splat)))
        continue;
      auto value = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
      if (!value || op.getNumDpsInputs() == 1)
        continue;
      removeInput(op, input->getOperandNumber(), value, rewriter);
      return success();
    }
    return failure();
  }

private:
  static void removeInput(linalg::GenericOp op, unsigned index, TypedAttr value,
                          PatternRewriter &rewriter) {
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    inputs.erase(inputs.begin() + index);
    maps.erase(maps.begin() + index);
    auto created = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), created.getRegion(),
                                created.getRegion().end());
    Block &body = created.getRegion().front();
    rewriter.setInsertionPoint(op);
    Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    rewriter.replaceAllUsesWith(body.getArgument(index), constant);
    body.eraseArgument(index);
    rewriter.replaceOp(op, created);
  }
};
} // namespace

void memfmt::populateElementwiseSimplifications(RewritePatternSet &patterns) {
  patterns.add<InlineSplats>(patterns.getContext());
  linalg::GenericOp::getCanonicalizationPatterns(patterns,
                                                 patterns.getContext());
}
