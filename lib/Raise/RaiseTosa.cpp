//===- RaiseTosa.cpp - from TOSA to operations of networks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Tosa.h"

#include "memfmt/Raise/Passes.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace memfmt {
#define GEN_PASS_DEF_RAISETOSA
#include "memfmt/Raise/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool memfmt::isZeroConstant(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return false;
  auto element = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(element))
    return number.getValue().isZero();
  auto number = dyn_cast<IntegerAttr>(element);
  return number && number.getValue().isZero();
}

FailureOr<SmallVector<int64_t>> memfmt::getConstantShape(Value shape) {
  auto constant = shape.getDefiningOp<tosa::ConstShapeOp>();
  if (!constant)
    return failure();
  return llvm::map_to_vector(
      constant.getValues().getValues<APInt>(),
      [](const APInt &size) { return size.getSExtValue(); });
}

Value memfmt::transposeTosa(OpBuilder &builder, Location loc, Value value,
                            ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int32_t> perms(permutation);
  return tosa::TransposeOp::create(builder, loc, permuteType(type, permutation),
                                   value, builder.getDenseI32ArrayAttr(perms));
}

Value memfmt::reshapeTosa(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  Value sizes = tosa::ConstShapeOp::create(
      builder, loc, tosa::shapeType::get(builder.getContext(), shape.size()),
      builder.getIndexTensorAttr(shape));
  return tosa::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      sizes);
}

SmallVector<int64_t> memfmt::getChannelsFirst(int64_t rank) {
  SmallVector<int64_t> permutation = {0, rank - 1};
  for (int64_t axis = 1; axis + 1 < rank; ++axis)
    permutation.push_back(axis);
  return permutation;
}

Value memfmt::putChannelsFirst(OpBuilder &builder, Location loc, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return transposeTosa(builder, loc, value, getChannelsFirst(rank));
}

Value memfmt::putChannelsLast(OpBuilder &builder, Location loc, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return transposeTosa(builder, loc, value,
                       invertPermutationVector(getChannelsFirst(rank)));
}

RankedTensorType memfmt::getChannelsFirstType(RankedTensorType type) {
  return permuteType(type, getChannelsFirst(type.getRank()));
}

SmallVector<int64_t> memfmt::getPaddingSide(ArrayRef<int64_t> padding,
                                            unsigned first) {
  SmallVector<int64_t> side;
  for (size_t i = first; i < padding.size(); i += 2)
    side.push_back(padding[i]);
  return side;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RaiseTosa : memfmt::impl::RaiseTosaBase<RaiseTosa> {
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  LogicalResult raise();

  FrozenRewritePatternSet groups, operations;
  OpPassManager decompose, convert;
};
} // namespace

LogicalResult RaiseTosa::initialize(MLIRContext *context) {
  RewritePatternSet grouped(context), others(context);
  populateTosaGroupPatterns(grouped);
  populateTosaConvPatterns(others);
  populateTosaPoolPatterns(others);
  populateTosaMatmulPatterns(others);
  populateTosaTransposePatterns(others);
  groups = std::move(grouped);
  operations = std::move(others);

  decompose = OpPassManager(ModuleOp::getOperationName());
  decompose.addNestedPass<func::FuncOp>(
      tosa::createTosaOptionalDecompositionsPass());
  convert = OpPassManager(ModuleOp::getOperationName());
  OpPassManager &function = convert.nest<func::FuncOp>();
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToSCFPass());
  TosaToArithPassOptions arith;
  arith.includeApplyRescale = true;
  function.addPass(createTosaToArithPass(arith));
  function.addPass(createTosaToTensorPass());
  // Shapes that nothing reads any more, transpositions that cancel.
  function.addPass(createCanonicalizerPass());
  return success();
}

LogicalResult RaiseTosa::raise() {
  for (const FrozenRewritePatternSet &patterns : {groups, operations})
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      return getOperation().emitError("raising TOSA does not converge");
  return success();
}

void RaiseTosa::runOnOperation() {
  WalkResult found = getOperation().walk([](Operation *op) {
    return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  // What decomposition makes is raised, too.
  if (failed(raise()) || failed(runPipeline(decompose, getOperation())) ||
      failed(raise()) || failed(runPipeline(convert, getOperation())))
    signalPassFailure();
}
