//===- RaiseTosaGather.cpp - gathers along several axes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `tosa.gather` knows one axis of indices. Importers flatten the tensor and add
// up an index for each of its axes, times the stride, in tables as large as the
// result. Here they become one extraction by an index for each axis, in which
// memfmt-raise can recognise what the indices do.
//
//===----------------------------------------------------------------------===//

#include "Tosa.h"
#include "TosaBounds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<tosa::ReshapeOp>())
    value = reshape.getInput1();
  return value;
}

/// Whether a constant holds the strides of a row-major tensor of this shape.
/// Those of axes of size 1 do not matter.
static bool isRowMajorStrides(Value value, ArrayRef<int64_t> shape) {
  DenseIntElementsAttr strides;
  if (!matchPattern(value, m_Constant(&strides)) ||
      strides.getNumElements() != int64_t(shape.size()))
    return false;
  int64_t expected = 1;
  auto values = llvm::to_vector(strides.getValues<APInt>());
  for (size_t axis = shape.size(); axis-- > 0; expected *= shape[axis])
    if (shape[axis] != 1 && values[axis].getSExtValue() != expected)
      return false;
  return true;
}

/// The tables of indices for each axis of a tensor of `shape` that are put
/// together in one flat index: their concatenation along a last axis.
static tosa::ConcatOp matchIndices(Value flat, ArrayRef<int64_t> shape) {
  auto sum = skipReshapes(flat).getDefiningOp<tosa::ReduceSumOp>();
  if (!sum || sum.getAxis() != 1)
    return {};
  auto mul = sum.getInput().getDefiningOp<tosa::MulOp>();
  if (!mul || !isZeroConstant(mul.getShift()))
    return {};
  for (auto [tables, strides] : {std::pair(mul.getInput1(), mul.getInput2()),
                                 std::pair(mul.getInput2(), mul.getInput1())}) {
    auto concat = skipReshapes(tables).getDefiningOp<tosa::ConcatOp>();
    auto strideType = dyn_cast<RankedTensorType>(strides.getType());
    if (!concat || !strideType || strideType.getRank() != 2 ||
        strideType.getDimSize(0) != 1 || !isRowMajorStrides(strides, shape))
      continue;
    auto type = dyn_cast<RankedTensorType>(concat.getType());
    auto product = dyn_cast<RankedTensorType>(tables.getType());
    if (type && type.hasStaticShape() && product && product.getRank() == 2 &&
        product.getDimSize(1) == int64_t(shape.size()) &&
        int64_t(concat.getAxis()) == type.getRank() - 1 &&
        concat.getInput1().size() == shape.size() &&
        type.getShape().back() == int64_t(shape.size()))
      return concat;
  }
  return {};
}

/// How a table is read by loops over all its axes but the last, of size 1:
/// repetitions along axes of size 1 are looked through.
static std::pair<Value, AffineMap> readTable(Value table, Builder &builder) {
  if (auto tile = table.getDefiningOp<tosa::TileOp>()) {
    auto source = dyn_cast<RankedTensorType>(tile.getInput1().getType());
    FailureOr<SmallVector<int64_t>> times =
        getConstantShape(tile.getMultiples());
    if (source && succeeded(times) &&
        llvm::all_of(llvm::zip_equal(source.getShape(), *times), [](auto pair) {
          return std::get<0>(pair) == 1 || std::get<1>(pair) == 1;
        }))
      table = tile.getInput1();
  }
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<AffineExpr> exprs;
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    exprs.push_back(size == 1 ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(axis));
  return {table,
          AffineMap::get(type.getRank() - 1, 0, exprs, builder.getContext())};
}

namespace {
struct RaiseTosaGather : OpRewritePattern<tosa::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto values = dyn_cast<RankedTensorType>(op.getValues().getType());
    auto result = dyn_cast<RankedTensorType>(op.getOutput().getType());
    if (!values || !result || !values.hasStaticShape() ||
        !result.hasStaticShape() || values.getDimSize(0) != 1 ||
        values.getDimSize(2) != 1)
      return failure();
    Value source = skipReshapes(op.getValues());
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type || !type.hasStaticShape())
      return failure();
    tosa::ConcatOp tables = matchIndices(op.getIndices(), type.getShape());
    if (!tables)
      return rewriter.notifyMatchFailure(op, "has no indices of single axes");
    // Outside of its axis an index would reach another row.
    TosaBounds bounds;
    for (auto [axis, table] : llvm::enumerate(tables.getInput1())) {
      std::optional<Bounds> range = bounds.get(table);
      if (!range || range->low < 0 || range->high > type.getDimSize(axis) - 1 ||
          cast<RankedTensorType>(table.getType()).getShape().back() != 1)
        return rewriter.notifyMatchFailure(op, "indices may leave their axes");
    }
    Value gathered = build(op, source, tables, rewriter);
    rewriter.replaceOp(
        op, reshapeTosa(rewriter, op.getLoc(), gathered, result.getShape()));
    return success();
  }

private:
  static Value build(tosa::GatherOp op, Value source, tosa::ConcatOp tables,
                     PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(tables.getType()).getShape().drop_back();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (Value table : tables.getInput1()) {
      auto [input, map] = readTable(table, rewriter);
      inputs.push_back(input);
      maps.push_back(map);
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(shape.size()));
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, shape, getElementTypeOrSelf(source.getType()));
    SmallVector<utils::IteratorType> iterators(shape.size(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               rewriter, loc, TypeRange{empty.getType()}, inputs,
               ValueRange{empty}, maps, iterators,
               [&](OpBuilder &builder, Location loc, ValueRange arguments) {
                 SmallVector<Value> indices;
                 for (Value index : arguments.drop_back())
                   indices.push_back(arith::IndexCastOp::create(
                       builder, loc, builder.getIndexType(), index));
                 Value element =
                     tensor::ExtractOp::create(builder, loc, source, indices);
                 linalg::YieldOp::create(builder, loc, element);
               })
        .getResult(0);
  }
};
} // namespace

void memfmt::populateTosaGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTosaGather>(patterns.getContext());
}
