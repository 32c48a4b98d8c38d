//===- MemFmtWindow.cpp - physical forms of convolution and pool -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Two-dimensional convolutions and pools in one format become the named
// operations of linalg; every other rank, group count and mixture of formats is
// a `linalg.generic` over the same loops. Nothing is converted in secret.
//
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;
using utils::IteratorType;

using Values = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// Shared by convolution and pool
//===----------------------------------------------------------------------===//

/// Pads the spatial axes of a physical tensor with `value`.
static Value padSpatial(ImplicitLocOpBuilder &b, Value input,
                        RankedTensorType encoded, ArrayRef<int64_t> low,
                        ArrayRef<int64_t> high, Value value) {
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return input;
  SmallVector<OpFoldResult> lows(2, b.getIndexAttr(0)), highs = lows;
  SmallVector<int64_t> shape(encoded.getShape());
  for (auto [i, pads] : llvm::enumerate(llvm::zip_equal(low, high))) {
    auto [l, h] = pads;
    lows.push_back(b.getIndexAttr(l));
    highs.push_back(b.getIndexAttr(h));
    if (!ShapedType::isDynamic(shape[i + 2]))
      shape[i + 2] += l + h;
  }
  auto padded = RankedTensorType::get(shape, encoded.getElementType(),
                                      encoded.getEncoding());
  return tensor::PadOp::create(b, getPhysicalType(padded), input,
                               permuteToPhysical<OpFoldResult>(lows, encoded),
                               permuteToPhysical<OpFoldResult>(highs, encoded),
                               value);
}

/// Logical sizes of the result: batch from the input, channels given, spatial
/// sizes static or computed from the padded input.
static SmallVector<OpFoldResult>
getResultSizes(ImplicitLocOpBuilder &b, Operation *op, Value physicalInput,
               RankedTensorType input, RankedTensorType result) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> order = getPhysicalOrder(input);
  for (int64_t axis = 0; axis < result.getRank(); ++axis) {
    if (!result.isDynamicDim(axis)) {
      sizes.push_back(b.getIndexAttr(result.getDimSize(axis)));
      continue;
    }
    int64_t position = llvm::find(order, axis) - order.begin();
    sizes.push_back(
        tensor::getMixedSize(b, b.getLoc(), physicalInput, position));
  }
  return sizes;
}

/// Reference lowerings compute spatial sizes from static ones only; a dynamic
/// batch is fine.
static LogicalResult expectStaticSpatialSizes(Operation *op,
                                              RankedTensorType result) {
  for (int64_t axis = 1; axis < result.getRank(); ++axis)
    if (result.isDynamicDim(axis))
      return op->emitOpError(
                 "has a reference lowering only for static channels "
                 "and spatial sizes, found ")
             << result;
  return success();
}

static DenseIntElementsAttr toVector(Builder &b, ArrayRef<int64_t> values) {
  return b.getI64VectorAttr(values);
}

static bool isChannelsLastType(RankedTensorType type) {
  return type.getEncoding() == getChannelsLast(type.getContext());
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// The linalg form of one convolution under construction.
struct ConvBuilder {
  ConvOp conv;
  ImplicitLocOpBuilder &b;
  /// Physical; the input is padded.
  Value input, filter, init;

  RankedTensorType inputType() { return conv.getInput().getType(); }
  RankedTensorType resultType() { return conv.getResult().getType(); }

  Value build();

private:
  Value buildNamed();
  Value buildGeneric();
  Value permuteFilter(Value value, ArrayRef<int64_t> permutation);
  Value splitChannels(Value value, int64_t position, int64_t groups);
};
} // namespace

Value ConvBuilder::permuteFilter(Value value, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(tensorType(value).getDimSize(dim));
  Value empty =
      tensor::EmptyOp::create(b, shape, tensorType(value).getElementType());
  return linalg::TransposeOp::create(b, value, empty, permutation)
      ->getResult(0);
}

/// Named operations for two spatial axes in one format, dense or depthwise.
Value ConvBuilder::buildNamed() {
  bool last = isChannelsLastType(inputType());
  if (inputType().getRank() != 4 ||
      inputType().getEncoding() != resultType().getEncoding() ||
      !(last || isContiguousType(inputType())))
    return {};
  Type type = init.getType();
  auto strides = toVector(b, conv.getStrides());
  auto dilations = toVector(b, conv.getDilations());
  if (conv.isDepthwise()) {
    RankedTensorType f = tensorType(filter);
    Value flat = tensor::CollapseShapeOp::create(
        b, filter, SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
    (void)f;
    if (last)
      return linalg::DepthwiseConv2DNhwcHwcOp::create(
                 b, type, ValueRange{input, permuteFilter(flat, {1, 2, 0})},
                 ValueRange{init}, strides, dilations)
          .getResult(0);
    return linalg::DepthwiseConv2DNchwChwOp::create(
               b, type, ValueRange{input, flat}, ValueRange{init}, strides,
               dilations)
        .getResult(0);
  }
  if (conv.getGroups() != 1)
    return {};
  if (last)
    return linalg::Conv2DNhwcHwcfOp::create(
               b, type, ValueRange{input, permuteFilter(filter, {2, 3, 1, 0})},
               ValueRange{init}, strides, dilations)
        .getResult(0);
  return linalg::Conv2DNchwFchwOp::create(b, type, ValueRange{input, filter},
                                          ValueRange{init}, strides, dilations)
      .getResult(0);
}

/// Splits dimension `position` into (groups, rest).
Value ConvBuilder::splitChannels(Value value, int64_t position,
                                 int64_t groups) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> reassociation;
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
    if (i == position) {
      shape.push_back(groups);
      shape.push_back(type.getDimSize(i) / groups);
      reassociation.push_back({next, next + 1});
      next += 2;
      continue;
    }
    shape.push_back(type.getDimSize(i));
    reassociation.push_back({next++});
  }
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), value,
      reassociation);
}

/// Loops n, group, filter, out..., channel, window...; channel axes of all
/// tensors are split into (group, rest).
Value ConvBuilder::buildGeneric() {
  int64_t spatial = conv.getNumSpatial(), loops = 4 + 2 * spatial;
  auto dim = [&](int64_t i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> in, out, weights = {dim(1), dim(2), dim(3 + spatial)};
  auto append = [&](RankedTensorType type, bool isInput,
                    SmallVector<AffineExpr> &exprs) -> int64_t {
    int64_t channelPosition = 0;
    for (auto [position, axis] : llvm::enumerate(getPhysicalOrder(type))) {
      if (axis == 0) {
        exprs.push_back(dim(0));
      } else if (axis == 1) {
        channelPosition = position;
        exprs.push_back(dim(1));
        exprs.push_back(isInput ? dim(3 + spatial) : dim(2));
      } else {
        int64_t i = axis - 2;
        exprs.push_back(isInput
                            ? dim(3 + i) * conv.getStrides()[i] +
                                  dim(4 + spatial + i) * conv.getDilations()[i]
                            : dim(3 + i));
      }
    }
    return channelPosition;
  };
  int64_t inPosition = append(inputType(), true, in);
  int64_t outPosition = append(resultType(), false, out);
  for (int64_t i = 0; i < spatial; ++i)
    weights.push_back(dim(4 + spatial + i));

  int64_t groups = conv.getGroups();
  Value x = splitChannels(input, inPosition, groups);
  Value w = splitChannels(filter, 0, groups);
  Value y = splitChannels(init, outPosition, groups);
  SmallVector<IteratorType> iterators(loops, IteratorType::parallel);
  for (int64_t i = 3 + spatial; i < loops; ++i)
    iterators[i] = IteratorType::reduction;
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  auto body = [](OpBuilder &builder, Location loc, ValueRange v) {
    ImplicitLocOpBuilder b(loc, builder);
    ScalarBuilder s(b);
    Type type = v[2].getType();
    Value product = s.mul(s.convert(v[0], type), s.convert(v[1], type));
    linalg::YieldOp::create(b, s.add(v[2], product));
  };
  Value result = linalg::GenericOp::create(
                     b, TypeRange{y.getType()}, ValueRange{x, w}, ValueRange{y},
                     {map(in), map(weights), map(out)}, iterators, body)
                     .getResult(0);
  SmallVector<ReassociationIndices> joined;
  for (int64_t i = 0, next = 0; i < resultType().getRank(); ++i) {
    if (i == outPosition) {
      joined.push_back({next, next + 1});
      next += 2;
    } else {
      joined.push_back({next++});
    }
  }
  return tensor::CollapseShapeOp::create(b, init.getType(), result, joined);
}

Value ConvBuilder::build() {
  if (Value named = buildNamed())
    return named;
  return buildGeneric();
}

namespace {
struct ConvPhysical
    : MaterializeOpInterface::ExternalModel<ConvPhysical, ConvOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    auto conv = cast<ConvOp>(op);
    if (failed(refuseBlocks(op)) ||
        failed(expectStaticSpatialSizes(op, conv.getResult().getType())))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    RankedTensorType input = conv.getInput().getType();
    auto accumulator =
        RankedTensorType::get(conv.getResult().getType().getShape(),
                              getSumType(input.getElementType()),
                              conv.getResult().getType().getEncoding());
    Value zero = createZero(b, input.getElementType());
    Value padded = padSpatial(b, operands[0], input, conv.getPadLow(),
                              conv.getPadHigh(), zero);
    SmallVector<OpFoldResult> sizes =
        getResultSizes(b, op, operands[0], input, accumulator);
    Value init = createInit(b, accumulator, sizes,
                            conv.getBias() ? operands[2] : Value());
    FailureOr<Value> filter =
        convertPhysical(b, op, operands[1], conv.getFilter().getType(),
                        withFormat(conv.getFilter().getType(), {}));
    if (failed(filter))
      return failure();
    Value result =
        convertElements(b, ConvBuilder{conv, b, padded, *filter, init}.build(),
                        conv.getAccumulatedType());
    return SmallVector<Value>{applyEpilogue(b, op, result, operands)};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pool
//===----------------------------------------------------------------------===//

static Value combine(OpBuilder &builder, Location loc, PoolKind kind, Value x,
                     Value acc) {
  ImplicitLocOpBuilder b(loc, builder);
  ScalarBuilder s(b);
  x = s.convert(x, acc.getType());
  return kind == PoolKind::max ? s.max(x, acc) : s.add(x, acc);
}

/// The named operation for two spatial axes, or null.
static Value buildNamedPool(ImplicitLocOpBuilder &b, PoolOp pool, Value input,
                            Value window, Value init) {
  RankedTensorType type = pool.getInput().getType();
  bool last = isChannelsLastType(type);
  if (type.getRank() != 4 || !isa<FloatType>(type.getElementType()) ||
      type.getEncoding() != pool.getResult().getType().getEncoding() ||
      !(last || isContiguousType(type)))
    return {};
  auto create = [&](auto tag) -> Value {
    return decltype(tag)::create(b, TypeRange{init.getType()},
                                 ValueRange{input, window}, ValueRange{init},
                                 toVector(b, pool.getStrides()),
                                 toVector(b, pool.getDilations()))
        .getResult(0);
  };
  if (pool.getKind() == PoolKind::max)
    return last ? create(linalg::PoolingNhwcMaxOp())
                : create(linalg::PoolingNchwMaxOp());
  return last ? create(linalg::PoolingNhwcSumOp())
              : create(linalg::PoolingNchwSumOp());
}

/// Loops n, channel, out..., window....
static Value buildGenericPool(ImplicitLocOpBuilder &b, PoolOp pool, Value input,
                              Value window, Value init) {
  int64_t spatial = pool.getNumSpatial(), loops = 2 + 2 * spatial;
  auto dim = [&](int64_t i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> in = {dim(0), dim(1)}, out = in, inner;
  SmallVector<IteratorType> iterators(loops, IteratorType::parallel);
  for (int64_t i = 0; i < spatial; ++i) {
    in.push_back(dim(2 + i) * pool.getStrides()[i] +
                 dim(2 + spatial + i) * pool.getDilations()[i]);
    out.push_back(dim(2 + i));
    inner.push_back(dim(2 + spatial + i));
    iterators[2 + spatial + i] = IteratorType::reduction;
  }
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  return linalg::GenericOp::create(
             b, TypeRange{init.getType()}, ValueRange{input, window},
             ValueRange{init},
             {getPhysicalMap(map(in), pool.getInput().getType()), map(inner),
              getPhysicalMap(map(out), pool.getResult().getType())},
             iterators,
             [&](OpBuilder &builder, Location loc, ValueRange v) {
               linalg::YieldOp::create(
                   builder, loc,
                   combine(builder, loc, pool.getKind(), v[0], v[2]));
             })
      .getResult(0);
}

/// The number of window elements inside the input, for the result element at
/// the loop indices; all of them where the padding counts.
static Value countElements(ImplicitLocOpBuilder &b, PoolOp pool, Type type) {
  int64_t area = 1;
  for (int64_t size : pool.getWindow())
    area *= size;
  if (!pool.getExcludePad())
    return arith::ConstantOp::create(b, b.getFloatAttr(type, double(area)));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value count = constant(1);
  for (int64_t i = 0, e = pool.getNumSpatial(); i < e; ++i) {
    int64_t dilation = pool.getDilations()[i];
    int64_t size = pool.getInput().getType().getDimSize(i + 2);
    // Window element k reads first + k * dilation, inside [0, size).
    Value index = linalg::IndexOp::create(b, i + 2);
    Value first = arith::SubIOp::create(
        b,
        arith::MulIOp::create(b, index, constant(pool.getStrides()[i]))
            .getResult(),
        constant(pool.getPadLow()[i]));
    auto ceilDiv = [&](Value x) -> Value {
      x = arith::MaxSIOp::create(b, x, constant(0));
      x = arith::AddIOp::create(b, x, constant(dilation - 1));
      return arith::DivUIOp::create(b, x, constant(dilation));
    };
    Value low = ceilDiv(arith::SubIOp::create(b, constant(0), first));
    Value high = ceilDiv(arith::SubIOp::create(b, constant(size), first));
    high = arith::MinSIOp::create(b, high, constant(pool.getWindow()[i]));
    count = arith::MulIOp::create(
        b, count, arith::SubIOp::create(b, high, low).getResult());
  }
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), count);
  return arith::SIToFPOp::create(b, type, integer);
}

/// Divides the sum by the number of elements.
static Value average(ImplicitLocOpBuilder &b, PoolOp pool, Value sum) {
  RankedTensorType result = pool.getResult().getType();
  Type element = tensorType(sum).getElementType();
  int64_t rank = result.getRank();
  AffineMap map = getPhysicalMap(b.getMultiDimIdentityMap(rank), result);
  Value init = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), sum), element);
  return linalg::GenericOp::create(
             b, TypeRange{init.getType()}, ValueRange{sum}, ValueRange{init},
             {map, map},
             SmallVector<IteratorType>(rank, IteratorType::parallel),
             [&](OpBuilder &builder, Location loc, ValueRange v) {
               ImplicitLocOpBuilder b(loc, builder);
               Value count = countElements(b, pool, element);
               Value quotient = arith::DivFOp::create(b, v[0], count);
               linalg::YieldOp::create(b, quotient);
             })
      .getResult(0);
}

/// What the window starts from, and what the padding reads as.
static Value createNeutral(ImplicitLocOpBuilder &b, PoolKind kind, Type type) {
  if (kind != PoolKind::max)
    return createZero(b, type);
  if (auto floating = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        b, b.getFloatAttr(type, APFloat::getInf(floating.getFloatSemantics(),
                                                /*Negative=*/true)));
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(
             type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth())));
}

namespace {
struct PoolPhysical
    : MaterializeOpInterface::ExternalModel<PoolPhysical, PoolOp> {
  Values materialize(Operation *op, OpBuilder &builder,
                     ValueRange operands) const {
    auto pool = cast<PoolOp>(op);
    RankedTensorType input = pool.getInput().getType();
    Type element = input.getElementType();
    if (failed(refuseBlocks(op)) ||
        failed(expectStaticSpatialSizes(op, pool.getResult().getType())) ||
        failed(expectStaticSpatialSizes(op, input)))
      return failure();
    if (pool.getKind() == PoolKind::avg && !isa<FloatType>(element))
      return op->emitOpError("has a reference lowering of kind avg only for "
                             "floating point, found ")
             << input;
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    Type sumType =
        pool.getKind() == PoolKind::max ? element : getSumType(element);
    auto accumulator =
        RankedTensorType::get(pool.getResult().getType().getShape(), sumType,
                              pool.getResult().getType().getEncoding());
    Value neutral = createNeutral(b, pool.getKind(), element);
    Value padded = padSpatial(b, operands[0], input, pool.getPadLow(),
                              pool.getPadHigh(), neutral);
    Value empty = createEmpty(
        b, accumulator, getResultSizes(b, op, operands[0], input, accumulator));
    Value init = linalg::FillOp::create(
                     b, ValueRange{createNeutral(b, pool.getKind(), sumType)},
                     ValueRange{empty})
                     .getResult(0);
    Value window = tensor::EmptyOp::create(b, pool.getWindow(), element);
    Value result = buildNamedPool(b, pool, padded, window, init);
    if (!result)
      result = buildGenericPool(b, pool, padded, window, init);
    if (pool.getKind() == PoolKind::avg)
      result = average(b, pool, result);
    result = convertElements(b, result, pool.getAccumulatedType());
    return SmallVector<Value>{applyEpilogue(b, op, result, operands)};
  }
};
} // namespace

void memfmt::attachWindowModels(MLIRContext *context) {
  ConvOp::attachInterface<ConvPhysical>(*context);
  PoolOp::attachInterface<PoolPhysical>(*context);
}
