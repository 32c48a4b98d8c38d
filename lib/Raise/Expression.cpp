//===- Expression.cpp - element-wise formulas across operations -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "ScalarEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memfmt;

bool memfmt::isElementwise(linalg::GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

TypedAttr memfmt::getScalarConstant(Value scalar) {
  Attribute attribute;
  if (!scalar)
    return {};
  if (matchPattern(scalar, m_Constant(&attribute)))
    return dyn_cast<TypedAttr>(attribute);
  Operation *op = scalar.getDefiningOp();
  if (!isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(op))
    return {};
  auto source =
      dyn_cast_or_null<FloatAttr>(getScalarConstant(op->getOperand(0)));
  if (!source)
    return {};
  return FloatAttr::get(scalar.getType(), source.getValueAsDouble());
}

TypedAttr memfmt::getFillValue(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return getScalarConstant(fill.getInputs()[0]);
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)))
    return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return {};
}

/// The indices of the source of a reshape that adds or drops axes of size 1
/// only, one expression per axis of the source, taken from `map`.
static AffineMap renameUnitAxes(RankedTensorType from, RankedTensorType to,
                                AffineMap map) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> kept;
  for (auto [size, expr] : llvm::zip_equal(from.getShape(), map.getResults()))
    if (size != 1)
      kept.push_back(expr);
  SmallVector<AffineExpr> results;
  size_t next = 0;
  for (int64_t size : to.getShape()) {
    if (size == 1)
      results.push_back(getAffineConstantExpr(0, context));
    else if (next < kept.size())
      results.push_back(kept[next++]);
    else
      return {};
  }
  if (next != kept.size())
    return {};
  return AffineMap::get(map.getNumDims(), 0, results, context);
}

static bool haveSameSizes(RankedTensorType a, RankedTensorType b) {
  auto isUnit = [](int64_t size) { return size == 1; };
  auto sizes = [&](RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    llvm::erase_if(shape, isUnit);
    return shape;
  };
  return a.hasStaticShape() && b.hasStaticShape() && sizes(a) == sizes(b);
}

Expression Expression::ofElement(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Expression root = read(
      tensor,
      AffineMap::getMultiDimIdentityMap(type.getRank(), tensor.getContext()),
      false);
  // The readers of the root itself do not matter.
  root.shared = false;
  return root;
}

Expression Expression::read(Value tensor, AffineMap map, bool shared) {
  Expression result;
  result.entry = result.tensor = tensor;
  result.entryMap = result.map = map;
  result.shared = shared || (map.isIdentity() && !tensor.hasOneUse());
  Value source = tensor;
  while (true) {
    if ((result.constant = getFillValue(source)))
      return result;
    if (auto broadcast = source.getDefiningOp<linalg::BroadcastOp>()) {
      SmallVector<AffineExpr> kept;
      for (auto [axis, expr] : llvm::enumerate(map.getResults()))
        if (!llvm::is_contained(broadcast.getDimensions(), int64_t(axis)))
          kept.push_back(expr);
      map = AffineMap::get(map.getNumDims(), 0, kept, map.getContext());
      source = broadcast.getInput();
    } else if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                   source.getDefiningOp())) {
      Value before = source.getDefiningOp()->getOperand(0);
      auto from = cast<RankedTensorType>(source.getType());
      auto to = cast<RankedTensorType>(before.getType());
      if (!haveSameSizes(from, to))
        return result;
      map = renameUnitAxes(from, to, map);
      source = before;
    } else {
      break;
    }
    result.tensor = source;
    result.map = map;
  }
  auto generic = source.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic))
    return result;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  Expression within = result.inside(yielded, generic, map);
  // A copy, most often a broadcast: what it reads is what is read.
  if (isa<BlockArgument>(yielded))
    return within;
  result.scalar = within.scalar;
  result.context = within.context;
  result.contextMap = within.contextMap;
  result.constant = within.constant;
  return result;
}

Expression Expression::inside(Value value, linalg::GenericOp generic,
                              AffineMap genericMap) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == generic.getBody()) {
    OpOperand &operand = generic->getOpOperand(argument.getArgNumber());
    return read(operand.get(),
                generic.getMatchingIndexingMap(&operand).compose(genericMap),
                shared);
  }
  Expression result;
  result.scalar = value;
  result.context = generic;
  result.contextMap = genericMap;
  result.constant = getScalarConstant(value);
  result.shared = shared;
  return result;
}

Operation *Expression::getOp() const {
  return scalar && !constant ? scalar.getDefiningOp() : nullptr;
}

Expression Expression::getOperand(unsigned index) const {
  return inside(scalar.getDefiningOp()->getOperand(index), context, contextMap);
}

FailureOr<double> Expression::getConstantDouble() const {
  auto number = dyn_cast_or_null<FloatAttr>(constant);
  if (!number)
    return failure();
  return number.getValueAsDouble();
}

Value Expression::getIdentityTensor() const {
  return entry && entryMap.isIdentity() ? entry : Value();
}

Attribute Expression::evaluate(ScalarEvaluator &evaluator,
                               ArrayRef<int64_t> indices) const {
  if (constant)
    return constant;
  if (scalar && !context)
    return evaluator.evaluate(scalar, {}, {});
  AffineMap through = scalar ? contextMap : map;
  std::optional<SmallVector<int64_t>> at = applyMap(through, indices);
  if (!at)
    return {};
  return scalar ? evaluator.evaluate(scalar, context, *at)
                : evaluator.element(tensor, *at);
}

uint64_t Expression::getDependences(ScalarEvaluator &evaluator) const {
  if (constant || (scalar && !context))
    return 0;
  uint64_t loops = scalar ? evaluator.getLoops(scalar, context) : ~uint64_t(0);
  AffineMap through = scalar ? contextMap : map;
  uint64_t dependences = 0;
  for (auto [loop, expr] : llvm::enumerate(through.getResults()))
    for (unsigned dim = 0; dim < through.getNumDims(); ++dim)
      if ((loops >> loop & 1) && expr.isFunctionOfDim(dim))
        dependences |= uint64_t(1) << dim;
  return dependences;
}

/// Squares of squares have very many factors, and are no normalisation.
static constexpr size_t kMaxFactors = 8;

static void collectFactors(const Expression &product, size_t depth,
                           SmallVectorImpl<Expression> &factors) {
  if (!product.getOp<arith::MulFOp>() || factors.size() > kMaxFactors ||
      depth > kMaxFactors) {
    factors.push_back(product);
    return;
  }
  collectFactors(product.getOperand(0), depth + 1, factors);
  collectFactors(product.getOperand(1), depth + 1, factors);
}

void memfmt::collectFactors(const Expression &product,
                            SmallVectorImpl<Expression> &factors) {
  ::collectFactors(product, 0, factors);
}

//===----------------------------------------------------------------------===//
// Values of channels
//===----------------------------------------------------------------------===//

FailureOr<ChannelOperand> memfmt::matchChannelOperand(const Expression &scalar,
                                                      int64_t axis,
                                                      int64_t channels) {
  if (TypedAttr constant = scalar.getConstant())
    return ChannelOperand{Value(), constant, channels};
  Value tensor = scalar.getTensor();
  if (!tensor)
    return failure();
  auto type = cast<RankedTensorType>(tensor.getType());
  bool found = false;
  for (auto [size, expr] :
       llvm::zip_equal(type.getShape(), scalar.getMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!found && dim && int64_t(dim.getPosition()) == axis && size == channels)
      found = true;
    else if (size != 1)
      return failure();
  }
  if (!found && channels != 1)
    return failure();
  return ChannelOperand{tensor, {}, channels};
}

Value ChannelOperand::createVector(OpBuilder &builder, Location loc) const {
  if (splat) {
    auto type = RankedTensorType::get({channels}, splat.getType());
    return arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(type, ArrayRef<Attribute>(splat)));
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor;
  auto vector = RankedTensorType::get({channels}, type.getElementType());
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(builder, loc, vector, tensor,
                                         ArrayRef<ReassociationIndices>());
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::CollapseShapeOp::create(builder, loc, vector, tensor,
                                         ArrayRef<ReassociationIndices>{all});
}
