//===- FoldNorms.cpp - fold batch normalisation into convolutions -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Raise/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace memfmt {
#define GEN_PASS_DEF_FOLDNORMS
#include "memfmt/Raise/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// An element-wise operation of the shape of `inputs[0]`; the other inputs are
/// vectors along `axis`, or have that shape too.
static Value createElementwise(ImplicitLocOpBuilder &b, ValueRange inputs,
                               int64_t axis, Body body) {
  auto type = cast<RankedTensorType>(inputs[0].getType());
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == rank
                       ? b.getMultiDimIdentityMap(rank)
                       : AffineMap::get(rank, 0, b.getAffineDimExpr(axis)));
  maps.push_back(b.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), inputs[0]),
      type.getElementType());
  return linalg::GenericOp::create(
             b, TypeRange{type}, inputs, ValueRange{init}, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &builder, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder inner(loc, builder);
               linalg::YieldOp::create(
                   inner, body(inner, arguments.take_front(inputs.size())));
             })
      .getResult(0);
}

/// scale / sqrt(variance + epsilon).
static Value createFactor(ImplicitLocOpBuilder &b, BatchNormOp norm) {
  return createElementwise(
      b, {norm.getVariance(), norm.getScale()}, 0,
      [&](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
        Value epsilon = arith::ConstantOp::create(
            b, b.getFloatAttr(x[0].getType(),
                              norm.getEpsilon().convertToDouble()));
        Value sum = arith::AddFOp::create(b, x[0], epsilon);
        Value root = math::RsqrtOp::create(b, sum);
        return arith::MulFOp::create(b, root, x[1]);
      });
}

/// (bias - mean) * factor + offset; a missing bias is zero.
static Value createBias(ImplicitLocOpBuilder &b, BatchNormOp norm, Value factor,
                        Value bias) {
  SmallVector<Value> inputs = {norm.getMean(), factor, norm.getOffset()};
  if (bias)
    inputs.push_back(bias);
  return createElementwise(
      b, inputs, 0, [&](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
        Value centred = bias ? arith::SubFOp::create(b, x[3], x[0]).getResult()
                             : arith::NegFOp::create(b, x[0]).getResult();
        Value product = arith::MulFOp::create(b, centred, x[1]);
        return arith::AddFOp::create(b, product, x[2]);
      });
}

namespace {
struct FoldNorms : memfmt::impl::FoldNormsBase<FoldNorms> {
  void runOnOperation() override {
    SmallVector<BatchNormOp> norms;
    // Narrow floats would be rounded once more on the way.
    getOperation().walk([&](BatchNormOp norm) {
      Type element = norm.getInput().getType().getElementType();
      if (getSumType(element) == element)
        norms.push_back(norm);
    });
    for (BatchNormOp norm : norms)
      fold(norm);
  }

private:
  void fold(BatchNormOp norm);
};
} // namespace

void FoldNorms::fold(BatchNormOp norm) {
  ImplicitLocOpBuilder b(norm.getLoc(), norm);
  Value factor = createFactor(b, norm);
  auto conv = norm.getInput().getDefiningOp<ConvOp>();
  Value result;
  if (conv && conv->hasOneUse() && conv.getEpilogue().empty() &&
      conv->getBlock() == norm->getBlock()) {
    Value filter =
        createElementwise(b, {conv.getFilter(), factor}, 0,
                          [](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
                            return arith::MulFOp::create(b, x[0], x[1]);
                          });
    Value bias = createBias(b, norm, factor, conv.getBias());
    result =
        ConvOp::create(b, norm.getResult().getType(), conv.getInput(), filter,
                       bias, ValueRange(), conv.getStrides(), conv.getPadLow(),
                       conv.getPadHigh(), conv.getDilations(), conv.getGroups())
            .getResult();
    ++numFolded;
  } else {
    conv = {};
    Value offset = createBias(b, norm, factor, Value());
    result =
        createElementwise(b, {norm.getInput(), factor, offset}, 1,
                          [](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
                            Value product =
                                arith::MulFOp::create(b, x[0], x[1]);
                            return arith::AddFOp::create(b, product, x[2]);
                          });
    ++numScaled;
  }
  norm.replaceAllUsesWith(result);
  norm.erase();
  if (conv)
    conv.erase();
}
