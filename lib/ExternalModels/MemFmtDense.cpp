//===- MemFmtDense.cpp - physical forms of linear and norms -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"
#include "TorchLayouts.h"

#include "memfmt/ExternalModels/ExternalModels.h"
#include "memfmt/ExternalModels/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace memfmt;
using utils::IteratorType;

using Values = FailureOr<SmallVector<Value>>;

Value memfmt::createInit(ImplicitLocOpBuilder &b, RankedTensorType encoded,
                         ArrayRef<OpFoldResult> sizes, Value bias) {
  Value empty = createEmpty(b, encoded, sizes);
  if (bias)
    bias = convertElements(b, bias, encoded.getElementType());
  if (!bias)
    return linalg::FillOp::create(
               b, ValueRange{createZero(b, encoded.getElementType())},
               ValueRange{empty})
        .getResult(0);
  // All dimensions but that of the channels are new.
  SmallVector<int64_t> dimensions;
  for (auto [position, axis] : llvm::enumerate(getPhysicalOrder(encoded)))
    if (axis != 1)
      dimensions.push_back(position);
  return linalg::BroadcastOp::create(b, bias, empty, dimensions)->getResult(0);
}

namespace {
struct LinearPhysical
    : MaterializeOpInterface::ExternalModel<LinearPhysical, LinearOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    auto linear = cast<LinearOp>(op);
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    Value input = operands[0], filter = operands[1];
    Type element = linear.getInput().getType().getElementType();
    auto type = RankedTensorType::get(linear.getResult().getType().getShape(),
                                      getSumType(element));
    SmallVector<OpFoldResult> sizes = {
        tensor::getMixedSize(b, b.getLoc(), input, 0),
        tensor::getMixedSize(b, b.getLoc(), filter, 0)};
    Value bias = linear.getBias() ? operands[2] : Value();
    Value init = createInit(b, type, sizes, bias);
    SmallVector<OpFoldResult> turned = {
        tensor::getMixedSize(b, b.getLoc(), filter, 1), sizes[1]};
    Value empty = tensor::EmptyOp::create(b, turned, element);
    Value transposed =
        linalg::TransposeOp::create(b, filter, empty, ArrayRef<int64_t>{1, 0})
            ->getResult(0);
    Value product = linalg::MatmulOp::create(b, ValueRange{input, transposed},
                                             ValueRange{init})
                        .getResult(0);
    product = convertElements(b, product, linear.getAccumulatedType());
    return SmallVector<Value>{applyEpilogue(b, op, product, operands)};
  }
};

struct BatchNormPhysical
    : MaterializeOpInterface::ExternalModel<BatchNormPhysical, BatchNormOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    if (failed(refuseBlocks(op)))
      return failure();
    auto norm = cast<BatchNormOp>(op);
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    RankedTensorType result = norm.getResult().getType();
    int64_t rank = result.getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(1));
    SmallVector<AffineMap> maps = {
        getPhysicalMap(identity, norm.getInput().getType()),
        channel,
        channel,
        channel,
        channel,
        getPhysicalMap(identity, result)};
    SmallVector<OpFoldResult> mixed =
        tensor::getMixedSizes(b, b.getLoc(), operands[0]);
    SmallVector<OpFoldResult> sizes(rank);
    for (auto [position, axis] :
         llvm::enumerate(getPhysicalOrder(norm.getInput().getType())))
      sizes[axis] = mixed[position];
    Value init = createEmpty(b, result, sizes);
    auto body = [&](OpBuilder &builder, Location loc, ValueRange x) {
      ImplicitLocOpBuilder b(loc, builder);
      ScalarBuilder s(b);
      Type type = getSumType(x[0].getType());
      SmallVector<Value> v = llvm::map_to_vector(
          x.take_front(5), [&](Value value) { return s.convert(value, type); });
      Value epsilon = s.constant(type, norm.getEpsilon().convertToDouble());
      Value root = math::RsqrtOp::create(b, s.add(v[2], epsilon));
      Value y = s.mul(s.mul(s.sub(v[0], v[1]), root), v[3]);
      linalg::YieldOp::create(b, s.convert(s.add(y, v[4]), x[5].getType()));
    };
    return SmallVector<Value>{
        linalg::GenericOp::create(
            b, TypeRange{init.getType()}, operands, ValueRange{init}, maps,
            SmallVector<IteratorType>(rank, IteratorType::parallel), body)
            .getResult(0)};
  }
};
} // namespace

void memfmt::attachDenseModels(MLIRContext *context) {
  LinearOp::attachInterface<LinearPhysical>(*context);
  BatchNormOp::attachInterface<BatchNormPhysical>(*context);
}

void memfmt::registerMemFmtModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemFmtDialect *) {
    // What the reference lowerings build.
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                         math::MathDialect, scf::SCFDialect,
                         tensor::TensorDialect>();
    attachFormatModels(context);
    attachWindowModels(context);
    attachDenseModels(context);
    attachElementwiseElements(context);
    attachMovementElements(context);
    attachWindowElements(context);
    attachResizeElements(context);
    attachNormElements(context);
    attachReduceElements(context);
    attachTorchComputeRules(context);
    attachTorchConvRules(context);
    attachTorchMovementRules(context);
    attachTorchElementwiseRules(context);
  });
}
