//===- PhysicalBuilder.cpp - upstream operations on physical tensors --*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalBuilder.h"

#include "memfmt/ExternalModels/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace memfmt;

LogicalResult memfmt::refuseBlocks(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (FormatAttrInterface format = getFormat(tensor);
        format &&
        (!format.getInnerBlocks().empty() || isa<StridedAttr>(format)))
      return op->emitOpError("has no reference lowering in the format of ")
             << tensor << "; convert with `memfmt.to_format` before";
  }
  return success();
}

AffineMap memfmt::getPhysicalMap(AffineMap map, RankedTensorType encoded) {
  SmallVector<AffineExpr> results =
      permuteToPhysical<AffineExpr>(map.getResults(), encoded);
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

Value memfmt::createEmpty(ImplicitLocOpBuilder &builder,
                          RankedTensorType encoded,
                          ArrayRef<OpFoldResult> sizes) {
  return tensor::EmptyOp::create(
      builder, permuteToPhysical<OpFoldResult>(sizes, encoded),
      encoded.getElementType());
}

Value memfmt::createZero(ImplicitLocOpBuilder &builder, Type type) {
  return arith::ConstantOp::create(builder, builder.getZeroAttr(type));
}

void memfmt::inlineScalarBlock(OpBuilder &builder, Location loc, Block &block,
                               ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(),
              arguments.take_front(block.getNumArguments()));
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  linalg::YieldOp::create(builder, loc, yielded);
}

Value memfmt::convertElements(ImplicitLocOpBuilder &builder, Value value,
                              Type type) {
  if (tensorType(value).getElementType() == type)
    return value;
  int64_t rank = tensorType(value).getRank();
  Value init = tensor::EmptyOp::create(
      builder, tensor::getMixedSizes(builder, builder.getLoc(), value), type);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, TypeRange{init.getType()}, ValueRange{value},
             ValueRange{init}, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange x) {
               ImplicitLocOpBuilder b(loc, nested);
               ScalarBuilder s(b);
               linalg::YieldOp::create(b, s.convert(x[0], type));
             })
      .getResult(0);
}

Value memfmt::applyEpilogue(ImplicitLocOpBuilder &builder, Operation *op,
                            Value value, ValueRange physicalOperands) {
  auto fused = cast<EpilogueOpInterface>(op);
  if (fused.getEpilogueRegion().empty())
    return value;
  auto encoded = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = encoded.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs = {value};
  SmallVector<AffineMap> maps = {getPhysicalMap(identity, encoded)};
  OperandRange operands = fused.getEpilogueOperands();
  for (unsigned i = 0, e = operands.size(); i < e; ++i) {
    auto type = tensorType(operands[i]);
    SmallVector<AffineExpr> results;
    for (int64_t axis = 0; axis < rank; ++axis)
      results.push_back(type.getDimSize(axis) == 1
                            ? builder.getAffineConstantExpr(0)
                            : builder.getAffineDimExpr(axis));
    maps.push_back(getPhysicalMap(
        AffineMap::get(rank, 0, results, builder.getContext()), type));
    inputs.push_back(physicalOperands[operands.getBeginOperandIndex() + i]);
  }
  maps.push_back(maps.front());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, builder.getLoc(), value);
  Value init =
      tensor::EmptyOp::create(builder, sizes, encoded.getElementType());
  return linalg::GenericOp::create(
             builder, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               inlineScalarBlock(b, loc, fused.getEpilogueRegion().front(),
                                 arguments);
             })
      .getResult(0);
}
