//===- ElementwiseElements.cpp - definitions of element-wise kinds -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace memfmt;

using Kind = ElementwiseKind;

namespace {
/// One element of an element-wise operation. All inputs are of type `type`, but
/// for masks.
class ElementBuilder {
public:
  ElementBuilder(ScalarBuilder &s, Type type, ValueRange inputs,
                 ArrayRef<double> parameters, bool ignoreNaN, Type result)
      : s(s), type(type), x(inputs), parameters(parameters),
        ignoreNaN(ignoreNaN), result(result) {}

  Value build(Kind kind);

private:
  Value buildMath(Kind kind);
  Value buildActivation(Kind kind);
  Value buildBinary(Kind kind);
  Value buildCompare(Kind kind);
  Value buildTernary(Kind kind);

  template <typename OpT> Value math(Value value) {
    return OpT::create(s.b, value);
  }
  Value number(double value) { return s.constant(type, value); }
  Value parameter(unsigned i, double otherwise) {
    return number(i < parameters.size() ? parameters[i] : otherwise);
  }
  Value clamp(Value value, Value low, Value high) {
    if (!ignoreNaN)
      return s.min(s.max(value, low), high);
    // Comparisons with NaN fail.
    value = s.select(s.lt(low, value), value, low);
    return s.select(s.lt(value, high), value, high);
  }
  Value sigmoid(Value value) {
    Value e = math<math::ExpOp>(s.sub(number(0), value));
    return s.div(number(1), s.add(number(1), e));
  }
  /// Linear where the exponential would lose the one beside it.
  Value softplus(Value value, Value beta) {
    Value scaled = s.mul(value, beta);
    Value soft = s.div(math<math::Log1pOp>(math<math::ExpOp>(scaled)), beta);
    return s.select(s.lt(number(20), scaled), value, soft);
  }
  Value isPositive(Value value) { return s.lt(number(0), value); }

  ScalarBuilder &s;
  Type type;
  ValueRange x;
  ArrayRef<double> parameters;
  bool ignoreNaN;
  /// What the element is converted to in the end.
  Type result;
};
} // namespace

Value ElementBuilder::buildMath(Kind kind) {
  switch (kind) {
  case Kind::acos:
    return math<math::AcosOp>(x[0]);
  case Kind::asin:
    return math<math::AsinOp>(x[0]);
  case Kind::atan:
    return math<math::AtanOp>(x[0]);
  case Kind::ceil:
    return math<math::CeilOp>(x[0]);
  case Kind::cos:
    return math<math::CosOp>(x[0]);
  case Kind::erf:
    return math<math::ErfOp>(x[0]);
  case Kind::exp:
    return math<math::ExpOp>(x[0]);
  case Kind::expm1:
    return math<math::ExpM1Op>(x[0]);
  case Kind::floor:
    return math<math::FloorOp>(x[0]);
  case Kind::log:
    return math<math::LogOp>(x[0]);
  case Kind::log1p:
    return math<math::Log1pOp>(x[0]);
  case Kind::round:
    return math<math::RoundEvenOp>(x[0]);
  case Kind::rsqrt:
    return s.div(number(1), math<math::SqrtOp>(x[0]));
  case Kind::sin:
    return math<math::SinOp>(x[0]);
  case Kind::sqrt:
    return math<math::SqrtOp>(x[0]);
  case Kind::tan:
    return math<math::TanOp>(x[0]);
  case Kind::tanh:
    return math<math::TanhOp>(x[0]);
  case Kind::trunc:
    return math<math::TruncOp>(x[0]);
  case Kind::reciprocal:
    return s.div(number(1), x[0]);
  default:
    return {};
  }
}

Value ElementBuilder::buildActivation(Kind kind) {
  auto relu6 = [&](Value value) { return clamp(value, number(0), number(6)); };
  switch (kind) {
  case Kind::elu:
    return s.select(isPositive(x[0]), x[0],
                    s.mul(parameter(0, 1), math<math::ExpM1Op>(x[0])));
  case Kind::gelu: {
    Value erf = math<math::ErfOp>(s.mul(x[0], number(0.70710678118654752)));
    return s.mul(s.mul(number(0.5), x[0]), s.add(number(1), erf));
  }
  case Kind::gelu_tanh: {
    Value cube = s.mul(x[0], s.mul(x[0], x[0]));
    Value inner = s.mul(number(0.79788456080286536),
                        s.add(x[0], s.mul(number(0.044715), cube)));
    return s.mul(s.mul(number(0.5), x[0]),
                 s.add(number(1), math<math::TanhOp>(inner)));
  }
  case Kind::hardsigmoid:
    return s.div(relu6(s.add(x[0], number(3))), number(6));
  case Kind::hardswish:
    return s.div(s.mul(x[0], relu6(s.add(x[0], number(3)))), number(6));
  case Kind::leaky_relu:
    return s.select(isPositive(x[0]), x[0], s.mul(parameter(0, 0.01), x[0]));
  case Kind::mish:
    return s.mul(x[0], math<math::TanhOp>(softplus(x[0], number(1))));
  case Kind::sigmoid:
    return sigmoid(x[0]);
  case Kind::silu:
    return s.mul(x[0], sigmoid(x[0]));
  case Kind::softplus:
    return softplus(x[0], parameter(0, 1));
  case Kind::nan_to_num: {
    // The largest finite number of the result, which may be narrower.
    Type bounded = isa<FloatType>(result) ? result : type;
    APFloat bound =
        APFloat::getLargest(cast<FloatType>(bounded).getFloatSemantics());
    Value largest = number(bound.convertToDouble());
    Value finite = clamp(x[0], s.sub(number(0), largest), largest);
    return s.select(s.ne(x[0], x[0]), parameter(0, 0), finite);
  }
  case Kind::fake_quantize: {
    Value scale = parameter(0, 1), zero = parameter(1, 0);
    Value q = math<math::RoundEvenOp>(s.div(x[0], scale));
    q = clamp(s.add(q, zero), parameter(2, -128), parameter(3, 127));
    return s.mul(s.sub(q, zero), scale);
  }
  default:
    return {};
  }
}

Value ElementBuilder::buildBinary(Kind kind) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  // Kinds of one input that integers have too.
  case Kind::abs:
    return isFloat ? math<math::AbsFOp>(x[0]) : math<math::AbsIOp>(x[0]);
  case Kind::neg:
    return isFloat ? Value(arith::NegFOp::create(s.b, x[0]))
                   : s.sub(number(0), x[0]);
  case Kind::relu: // NaN is not below zero.
    return s.select(s.le(x[0], number(0)), number(0), x[0]);
  case Kind::relu6:
    return clamp(x[0], number(0), number(6));
  case Kind::hardtanh:
  case Kind::clamp:
    return clamp(x[0], parameter(0, -1), parameter(1, 1));
  case Kind::sign: {
    Value negative = s.select(s.lt(x[0], number(0)), number(-1), number(0));
    return s.select(isPositive(x[0]), number(1), negative);
  }
  case Kind::square:
    return s.mul(x[0], x[0]);
  case Kind::convert:
    return x[0];
  case Kind::add:
    return s.add(x[0],
                 parameters.empty() ? x[1] : s.mul(parameter(0, 1), x[1]));
  case Kind::sub:
    return s.sub(x[0],
                 parameters.empty() ? x[1] : s.mul(parameter(0, 1), x[1]));
  case Kind::mul:
    return s.mul(x[0], x[1]);
  case Kind::div:
    return s.div(x[0], x[1]);
  case Kind::fmod:
    if (isFloat)
      return arith::RemFOp::create(s.b, x[0], x[1]);
    return arith::RemSIOp::create(s.b, x[0], x[1]);
  case Kind::maximum:
    return s.max(x[0], x[1]);
  case Kind::minimum:
    return s.min(x[0], x[1]);
  case Kind::pow:
    return math::PowFOp::create(s.b, x[0], x[1]);
  case Kind::atan2:
    return math::Atan2Op::create(s.b, x[0], x[1]);
  case Kind::prelu:
    return s.select(isPositive(x[0]), x[0], s.mul(x[1], x[0]));
  case Kind::heaviside: {
    Value step = s.select(s.lt(x[0], number(0)), number(0), number(1));
    return s.select(s.eq(x[0], number(0)), x[1], step);
  }
  default:
    return {};
  }
}

Value ElementBuilder::buildCompare(Kind kind) {
  auto truth = [&](Value value) { return s.convert(value, s.b.getI1Type()); };
  switch (kind) {
  case Kind::eq:
    return s.eq(x[0], x[1]);
  case Kind::ne:
    return s.ne(x[0], x[1]);
  case Kind::lt:
    return s.lt(x[0], x[1]);
  case Kind::le:
    return s.le(x[0], x[1]);
  case Kind::gt:
    return s.lt(x[1], x[0]);
  case Kind::ge:
    return s.le(x[1], x[0]);
  case Kind::logical_and:
    return s.andOf(truth(x[0]), truth(x[1]));
  case Kind::logical_or:
    return s.orOf(truth(x[0]), truth(x[1]));
  case Kind::logical_not:
    return s.eq(x[0], number(0));
  default:
    return {};
  }
}

Value ElementBuilder::buildTernary(Kind kind) {
  switch (kind) {
  case Kind::addcdiv:
    return s.add(x[0], s.mul(parameter(0, 1), s.div(x[1], x[2])));
  case Kind::addcmul:
    return s.add(x[0], s.mul(parameter(0, 1), s.mul(x[1], x[2])));
  case Kind::clamp_tensor:
    return clamp(x[0], x[1], x[2]);
  case Kind::lerp: {
    // From the nearer end, so that a weight of one gives the other operand.
    Value difference = s.sub(x[1], x[0]);
    Value low = s.add(x[0], s.mul(x[2], difference));
    Value high = s.sub(x[1], s.mul(difference, s.sub(number(1), x[2])));
    return s.select(s.lt(x[2], number(0.5)), low, high);
  }
  case Kind::where:
    return s.select(x[0], x[1], x[2]);
  case Kind::masked_fill:
    return s.select(x[1], x[2], x[0]);
  default:
    return {};
  }
}

Value ElementBuilder::build(Kind kind) {
  for (auto family :
       {&ElementBuilder::buildBinary, &ElementBuilder::buildMath,
        &ElementBuilder::buildActivation, &ElementBuilder::buildCompare,
        &ElementBuilder::buildTernary})
    if (Value value = (this->*family)(kind))
      return value;
  llvm_unreachable("an element-wise kind without a definition");
}

//===----------------------------------------------------------------------===//
// Types and indices
//===----------------------------------------------------------------------===//

/// Kinds whose definition needs floats: everything but selection, comparison
/// and plain arithmetic.
static bool needsFloat(Kind kind) {
  switch (kind) {
  case Kind::abs:
  case Kind::neg:
  case Kind::relu:
  case Kind::relu6:
  case Kind::hardtanh:
  case Kind::clamp:
  case Kind::clamp_tensor:
  case Kind::sign:
  case Kind::square:
  case Kind::convert:
  case Kind::add:
  case Kind::sub:
  case Kind::mul:
  case Kind::fmod:
  case Kind::maximum:
  case Kind::minimum:
  case Kind::prelu:
  case Kind::heaviside:
  case Kind::addcmul:
  case Kind::where:
  case Kind::masked_fill:
    return false;
  default:
    return kind != Kind::div && kind != Kind::eq && kind != Kind::ne &&
           kind != Kind::lt && kind != Kind::le && kind != Kind::gt &&
           kind != Kind::ge && kind != Kind::logical_and &&
           kind != Kind::logical_or && kind != Kind::logical_not;
  }
}

/// The wider of two element types; floats are wider than integers.
static Type promote(Type a, Type b) {
  if (!a || a == b)
    return b;
  bool floatA = isa<FloatType>(a), floatB = isa<FloatType>(b);
  if (floatA != floatB)
    return floatA ? a : b;
  auto width = [](Type type) {
    return type.isIndex() ? 64u : type.getIntOrFloatBitWidth();
  };
  if (floatA && width(a) == width(b))
    return Float32Type::get(a.getContext());
  return width(a) < width(b) ? b : a;
}

/// The type to compute in. Half precision is computed in single precision.
static Type getComputeType(ElementwiseOp op) {
  Type result = op.getResult().getType().getElementType(), type;
  bool truth = result.isInteger(1);
  if (!truth || op.getKind() == Kind::where ||
      op.getKind() == Kind::masked_fill)
    type = result;
  else
    for (Value input : op.getInputs())
      type = promote(type, getElementTypeOrSelf(input.getType()));
  if (op.getKind() == Kind::convert)
    return getElementTypeOrSelf(op.getInputs()[0].getType());
  if (needsFloat(op.getKind()) && !isa<FloatType>(type))
    return Float64Type::get(op.getContext());
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(op.getContext());
  return type;
}

namespace {
struct ElementwiseElements {
  static Value build(ElementwiseOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Type type = getComputeType(op);
    SmallVector<Value> inputs;
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      Value element = readBroadcast(op, s, i, indices, reader);
      bool mask = (op.getKind() == Kind::where && i == 0) ||
                  (op.getKind() == Kind::masked_fill && i == 1);
      inputs.push_back(mask ? element : s.convert(element, type));
    }
    ArrayRef<double> parameters;
    if (auto given = op.getParameters())
      parameters = *given;
    Value element =
        ElementBuilder(s, type, inputs, parameters, op.getIgnoreNan(),
                       op.getResult().getType().getElementType())
            .build(op.getKind());
    return s.convert(element, op.getResult().getType().getElementType());
  }

private:
  static Value readBroadcast(ElementwiseOp op, ScalarBuilder &s, unsigned i,
                             ValueRange indices, const ElementReader &reader) {
    auto type = dyn_cast<RankedTensorType>(op.getInputs()[i].getType());
    if (!type)
      return reader.read(i, {});
    SmallVector<Value> at;
    if (op.getKind() == Kind::prelu && i == 1) {
      at.push_back(type.getDimSize(0) == 1 ? s.index(0) : indices[1]);
      return reader.read(i, at);
    }
    unsigned first = indices.size() - type.getRank();
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      at.push_back(type.getDimSize(axis) == 1 ? s.index(0)
                                              : indices[first + axis]);
    return reader.read(i, at);
  }
};

struct DropoutElements {
  static Value build(DropoutOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Value x = reader.read(0, indices);
    if (!op.getMask())
      return x;
    auto mask = cast<RankedTensorType>(op.getMask().getType());
    SmallVector<Value> at;
    for (auto [axis, index] : llvm::enumerate(indices))
      at.push_back(mask.getDimSize(axis) == 1 ? s.index(0) : index);
    double keep = 1 - op.getProbability().convertToDouble();
    return s.mul(s.mul(x, reader.read(1, at)),
                 s.constant(x.getType(), 1 / keep));
  }
};

/// The same elements, converted where `to` asks for another type.
struct RequestElements {
  static Value build(RequestFormatOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    return s.convert(reader.read(0, indices),
                     op.getResult().getType().getElementType());
  }
};

struct FullLikeElements {
  static Value build(FullLikeOp op, ScalarBuilder &s, unsigned, ValueRange,
                     const ElementReader &) {
    return s.constant(op.getResult().getType().getElementType(),
                      op.getValue().convertToDouble());
  }
};
} // namespace

void memfmt::attachElementwiseElements(MLIRContext *context) {
  attachElements<ElementwiseElements, ElementwiseOp>(context);
  attachElements<DropoutElements, DropoutOp>(context);
  attachElements<RequestElements, RequestFormatOp>(context);
  attachElements<FullLikeElements, FullLikeOp>(context);
}
