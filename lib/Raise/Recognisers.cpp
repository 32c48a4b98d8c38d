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

Value memfmt::skipExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

bool memfmt::isNegativeInfinity(Attribute value) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative();
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
