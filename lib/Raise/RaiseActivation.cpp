//===- RaiseActivation.cpp - activations as formulas ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers spell activations as one or several element-wise operations: as
// minima and maxima, or as comparisons and selections, which treat NaN in ways
// of their own. What NaN becomes is part of the formula.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Recognisers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace memfmt;

using Kind = ElementwiseKind;

/// Whether two numbers are one in an element type: equal, or next to each other
/// where no float is the number.
static bool areEqualIn(Type type, double found, double number) {
  if (found == number || number == static_cast<float>(number))
    return found == number;
  unsigned digits = cast<FloatType>(type).getFPMantissaWidth();
  return std::abs(found - number) <=
         std::ldexp(std::abs(number), 1 - int(digits));
}

/// Whether a scalar is this number at all indices.
static bool isNumber(const Expression &e, double number) {
  auto found = dyn_cast_or_null<FloatAttr>(e.getConstant());
  return found && areEqualIn(found.getType(), found.getValueAsDouble(), number);
}

//===----------------------------------------------------------------------===//
// Minimum, maximum, clamp
//===----------------------------------------------------------------------===//

namespace {
/// The larger or the smaller one of a value and a number.
struct Extremum {
  bool max = false;
  Expression value;
  double bound = 0;
  /// NaN stays NaN; else it becomes the bound.
  bool keepsNaN = false;
};

/// `value` from `low` to `high`; NaN stays, or becomes `low`.
struct Clamp {
  Expression value;
  double low = 0, high = 0;
  bool keepsNaN = false;
};

/// A comparison of a value with a number that holds for larger values, or for
/// smaller ones.
struct Comparison {
  Expression value;
  double number = 0;
  bool greater = false, holdsForNaN = false;
};
} // namespace

static std::optional<Comparison> matchComparison(const Expression &e) {
  auto op = e.getOp<arith::CmpFOp>();
  if (!op)
    return std::nullopt;
  arith::CmpFPredicate predicate = op.getPredicate();
  using P = arith::CmpFPredicate;
  bool greater =
      llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE}, predicate);
  bool less = llvm::is_contained({P::OLT, P::OLE, P::ULT, P::ULE}, predicate);
  if (!greater && !less)
    return std::nullopt;
  Comparison result;
  result.holdsForNaN =
      llvm::is_contained({P::UGT, P::UGE, P::ULT, P::ULE}, predicate);
  for (unsigned side : {1, 0})
    if (FailureOr<double> number = e.getOperand(side).getConstantDouble();
        succeeded(number)) {
      result.value = e.getOperand(1 - side);
      result.number = *number;
      result.greater = side == 1 ? greater : less;
      return result;
    }
  return std::nullopt;
}

static std::optional<Extremum> matchExtremum(const Expression &e) {
  Extremum result;
  if (e.getOp<arith::SelectOp>()) {
    std::optional<Comparison> comparison = matchComparison(e.getOperand(0));
    if (!comparison || comparison->value.getConstant())
      return std::nullopt;
    for (unsigned branch : {1, 2})
      if (e.getOperand(branch) == comparison->value &&
          isNumber(e.getOperand(3 - branch), comparison->number)) {
        bool chosen = branch == 1;
        return Extremum{comparison->greater == chosen, comparison->value,
                        comparison->number, comparison->holdsForNaN == chosen};
      }
    return std::nullopt;
  }
  if (!e.getOp<arith::MaximumFOp>() && !e.getOp<arith::MinimumFOp>() &&
      !e.getOp<arith::MaxNumFOp>() && !e.getOp<arith::MinNumFOp>())
    return std::nullopt;
  result.max = e.getOp<arith::MaximumFOp>() || e.getOp<arith::MaxNumFOp>();
  result.keepsNaN =
      e.getOp<arith::MaximumFOp>() || e.getOp<arith::MinimumFOp>();
  for (unsigned side : {1, 0})
    if (FailureOr<double> number = e.getOperand(side).getConstantDouble();
        succeeded(number)) {
      result.value = e.getOperand(1 - side);
      result.bound = *number;
      return result;
    }
  return std::nullopt;
}

static std::optional<Clamp> matchClamp(const Expression &e) {
  std::optional<Extremum> outer = matchExtremum(e);
  if (!outer)
    return std::nullopt;
  std::optional<Extremum> inner = matchExtremum(outer->value);
  if (!inner || inner->max == outer->max)
    return std::nullopt;
  Clamp clamp;
  clamp.value = inner->value;
  clamp.low = inner->max ? inner->bound : outer->bound;
  clamp.high = inner->max ? outer->bound : inner->bound;
  clamp.keepsNaN = inner->keepsNaN && outer->keepsNaN;
  // NaN must not become the upper bound.
  bool toHigh =
      inner->max ? inner->keepsNaN && !outer->keepsNaN : !inner->keepsNaN;
  if (toHigh || !(clamp.low <= clamp.high))
    return std::nullopt;
  return clamp;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {
/// An activation and its constants.
struct Activation {
  Kind kind;
  SmallVector<double, 2> parameters = {};
  bool ignoresNaN = false;
};

/// One formula of one tensor, which is found where the formula first reads it.
class Formula {
public:
  explicit Formula(Type type) : type(type) {}

  Value getInput() const { return input; }

  std::optional<Activation> matchHardswish(const Expression &e);
  std::optional<Activation> matchSilu(const Expression &e);
  std::optional<Activation> matchMish(const Expression &e);
  std::optional<Activation> matchGelu(const Expression &e);
  std::optional<Activation> matchHardsigmoid(const Expression &e);
  std::optional<Activation> matchSigmoid(const Expression &e);
  std::optional<Activation> matchSoftplus(const Expression &e);
  std::optional<Activation> matchElu(const Expression &e);
  std::optional<Activation> matchLeakyRelu(const Expression &e);
  std::optional<Activation> matchRelu(const Expression &e);
  std::optional<Activation> matchBounds(const Expression &e);
  std::optional<Activation> matchTanh(const Expression &e);

private:
  using Part = llvm::function_ref<bool(const Expression &)>;

  /// The element of the input.
  bool isInput(const Expression &e);
  template <typename OpT> static bool is(const Expression &e) {
    return e.getOp<OpT>() != nullptr;
  }
  /// An operation whose operands are these parts in either order.
  template <typename OpT> bool commutes(const Expression &e, Part a, Part b);
  bool isSum(const Expression &e, Part part, double number) {
    return commutes<arith::AddFOp>(e, part, [&](const Expression &other) {
      return isNumber(other, number);
    });
  }
  /// A product of the part and a number, or a quotient.
  bool isScaled(const Expression &e, Part part, double factor);
  /// The constant factor of a product, 1 if it has none, and the other factors.
  /// None where there are two: their product may not be a number of the type.
  static std::optional<double>
  splitProduct(const Expression &e, SmallVectorImpl<Expression> &factors);

  bool isNegative(const Expression &e);
  /// 1 + exp(-x).
  bool isOnePlusExp(const Expression &e);
  bool isSigmoid(const Expression &e);
  /// clamp(x + 3, 0, 6).
  bool isShiftedRelu6(const Expression &e, bool &keepsNaN);
  bool isHardsigmoid(const Expression &e, bool &keepsNaN);
  bool isSoftplus(const Expression &e, double &beta);
  /// exp(x) - 1.
  bool isExpMinusOne(const Expression &e);
  bool isCube(const Expression &e);
  /// The inner function of the approximation of gelu by tanh.
  bool isGeluTanhInner(const Expression &e);
  bool isInputExtremum(const Expression &e, bool max, bool &keepsNaN);

  Type getElementType() const { return getElementTypeOrSelf(type); }

  Type type;
  Value input;
};
} // namespace

bool Formula::isInput(const Expression &e) {
  Value tensor = e.getIdentityTensor();
  if (!tensor || tensor.getType() != type || (input && input != tensor))
    return false;
  input = tensor;
  return true;
}

template <typename OpT>
bool Formula::commutes(const Expression &e, Part a, Part b) {
  if (!is<OpT>(e))
    return false;
  Value before = input;
  if (a(e.getOperand(0)) && b(e.getOperand(1)))
    return true;
  input = before;
  if (a(e.getOperand(1)) && b(e.getOperand(0)))
    return true;
  input = before;
  return false;
}

bool Formula::isScaled(const Expression &e, Part part, double factor) {
  if (is<arith::DivFOp>(e))
    return isNumber(e.getOperand(1), 1 / factor) && part(e.getOperand(0));
  return commutes<arith::MulFOp>(e, part, [&](const Expression &other) {
    return isNumber(other, factor);
  });
}

std::optional<double>
Formula::splitProduct(const Expression &e,
                      SmallVectorImpl<Expression> &factors) {
  SmallVector<Expression> all;
  collectFactors(e, all);
  std::optional<double> constant;
  for (const Expression &factor : all) {
    FailureOr<double> number = factor.getConstantDouble();
    if (failed(number))
      factors.push_back(factor);
    else if (constant || !std::isfinite(*number))
      return std::nullopt;
    else
      constant = *number;
  }
  return constant.value_or(1);
}

bool Formula::isNegative(const Expression &e) {
  if (is<arith::NegFOp>(e))
    return isInput(e.getOperand(0));
  if (is<arith::SubFOp>(e))
    return isNumber(e.getOperand(0), 0) && isInput(e.getOperand(1));
  return isScaled(e, [&](const Expression &x) { return isInput(x); }, -1);
}

bool Formula::isOnePlusExp(const Expression &e) {
  return isSum(
      e,
      [&](const Expression &exp) {
        return is<math::ExpOp>(exp) && isNegative(exp.getOperand(0));
      },
      1);
}

bool Formula::isSigmoid(const Expression &e) {
  return is<arith::DivFOp>(e) && isNumber(e.getOperand(0), 1) &&
         isOnePlusExp(e.getOperand(1));
}

bool Formula::isShiftedRelu6(const Expression &e, bool &keepsNaN) {
  std::optional<Clamp> clamp = matchClamp(e);
  if (!clamp || clamp->low != 0 || clamp->high != 6)
    return false;
  keepsNaN = clamp->keepsNaN;
  return isSum(
      clamp->value, [&](const Expression &x) { return isInput(x); }, 3);
}

bool Formula::isHardsigmoid(const Expression &e, bool &keepsNaN) {
  if (isScaled(
          e, [&](const Expression &x) { return isShiftedRelu6(x, keepsNaN); },
          1.0 / 6))
    return true;
  std::optional<Clamp> clamp = matchClamp(e);
  if (!clamp || clamp->low != 0 || clamp->high != 1)
    return false;
  keepsNaN = clamp->keepsNaN;
  return isSum(
      clamp->value,
      [&](const Expression &scaled) {
        return isScaled(
            scaled, [&](const Expression &x) { return isInput(x); }, 1.0 / 6);
      },
      0.5);
}

/// NaN times anything is NaN, whatever the clamp makes of it.
std::optional<Activation> Formula::matchHardswish(const Expression &e) {
  bool keepsNaN;
  auto isX = [&](const Expression &x) { return isInput(x); };
  auto product = [&](const Expression &p) {
    return commutes<arith::MulFOp>(p, isX, [&](const Expression &x) {
      return isShiftedRelu6(x, keepsNaN);
    });
  };
  if (commutes<arith::MulFOp>(
          e, isX,
          [&](const Expression &x) { return isHardsigmoid(x, keepsNaN); }) ||
      isScaled(e, product, 1.0 / 6))
    return Activation{Kind::hardswish};
  return std::nullopt;
}

std::optional<Activation> Formula::matchHardsigmoid(const Expression &e) {
  bool keepsNaN;
  if (!isHardsigmoid(e, keepsNaN))
    return std::nullopt;
  return Activation{Kind::hardsigmoid, {}, !keepsNaN};
}

std::optional<Activation> Formula::matchSigmoid(const Expression &e) {
  if (isSigmoid(e))
    return Activation{Kind::sigmoid};
  return std::nullopt;
}

std::optional<Activation> Formula::matchSilu(const Expression &e) {
  auto isX = [&](const Expression &x) { return isInput(x); };
  auto sigmoid = [&](const Expression &x) { return isSigmoid(x); };
  if (commutes<arith::MulFOp>(e, isX, sigmoid))
    return Activation{Kind::silu};
  if (is<arith::DivFOp>(e) && isInput(e.getOperand(0)) &&
      isOnePlusExp(e.getOperand(1)))
    return Activation{Kind::silu};
  return std::nullopt;
}

/// x where beta * x > 20, else log1p(exp(beta * x)) / beta: PyTorch's
/// threshold.
bool Formula::isSoftplus(const Expression &e, double &beta) {
  if (!is<arith::SelectOp>(e))
    return false;
  std::optional<Comparison> comparison = matchComparison(e.getOperand(0));
  if (!comparison)
    return false;
  // The branch for large values, and the other, which is also taken by NaN.
  unsigned large = comparison->greater ? 1 : 2;
  Expression soft = e.getOperand(3 - large);
  if (!isInput(e.getOperand(large)))
    return false;
  beta = 1;
  if (is<arith::DivFOp>(soft)) {
    FailureOr<double> divisor = soft.getOperand(1).getConstantDouble();
    if (failed(divisor) || !(*divisor > 0))
      return false;
    beta = *divisor;
    soft = soft.getOperand(0);
  }
  auto isX = [&](const Expression &x) { return isInput(x); };
  auto scaled = [&](const Expression &x) {
    return beta == 1 ? isInput(x) || isScaled(x, isX, 1)
                     : isScaled(x, isX, beta);
  };
  // The comparison may be of x itself.
  bool threshold = isInput(comparison->value)
                       ? comparison->number * beta == 20
                       : scaled(comparison->value) && comparison->number == 20;
  return threshold && is<math::Log1pOp>(soft) &&
         is<math::ExpOp>(soft.getOperand(0)) &&
         scaled(soft.getOperand(0).getOperand(0));
}

std::optional<Activation> Formula::matchSoftplus(const Expression &e) {
  double beta;
  if (!isSoftplus(e, beta))
    return std::nullopt;
  return Activation{Kind::softplus, {beta}};
}

std::optional<Activation> Formula::matchMish(const Expression &e) {
  double beta;
  auto isX = [&](const Expression &x) { return isInput(x); };
  auto tanh = [&](const Expression &x) {
    return is<math::TanhOp>(x) && isSoftplus(x.getOperand(0), beta) &&
           beta == 1;
  };
  if (commutes<arith::MulFOp>(e, isX, tanh))
    return Activation{Kind::mish};
  return std::nullopt;
}

bool Formula::isCube(const Expression &e) {
  if (is<math::PowFOp>(e) || is<math::FPowIOp>(e)) {
    auto power = dyn_cast_or_null<IntegerAttr>(e.getOperand(1).getConstant());
    return isInput(e.getOperand(0)) &&
           (isNumber(e.getOperand(1), 3) || (power && power.getInt() == 3));
  }
  SmallVector<Expression> factors;
  return splitProduct(e, factors) == 1.0 && factors.size() == 3 &&
         llvm::all_of(factors, [&](const Expression &x) { return isInput(x); });
}

bool Formula::isGeluTanhInner(const Expression &e) {
  auto cubic = [&](const Expression &x) {
    SmallVector<Expression> factors;
    std::optional<double> constant = splitProduct(x, factors);
    if (!constant || !areEqualIn(getElementType(), *constant, 0.044715))
      return false;
    if (factors.size() == 1)
      return isCube(factors[0]);
    return factors.size() == 3 &&
           llvm::all_of(factors,
                        [&](const Expression &f) { return isInput(f); });
  };
  auto polynomial = [&](const Expression &x) {
    return commutes<arith::AddFOp>(
        x, [&](const Expression &y) { return isInput(y); }, cubic);
  };
  return isScaled(e, polynomial, 0.79788456080286536);
}

/// x / 2 times 1 + erf(x / sqrt(2)), or its approximation by tanh.
std::optional<Activation> Formula::matchGelu(const Expression &e) {
  SmallVector<Expression> factors;
  std::optional<double> constant = splitProduct(e, factors);
  if (constant != 0.5 || factors.size() != 2)
    return std::nullopt;
  bool isTanh = false;
  auto isX = [&](const Expression &x) { return isInput(x); };
  auto function = [&](const Expression &x) {
    if (is<math::ErfOp>(x))
      return isScaled(x.getOperand(0), isX, 0.70710678118654752);
    isTanh = is<math::TanhOp>(x) && isGeluTanhInner(x.getOperand(0));
    return isTanh;
  };
  for (unsigned first : {0, 1}) {
    input = {};
    if (isInput(factors[first]) && isSum(factors[1 - first], function, 1))
      return Activation{isTanh ? Kind::gelu_tanh : Kind::gelu};
  }
  return std::nullopt;
}

bool Formula::isExpMinusOne(const Expression &e) {
  if (is<math::ExpM1Op>(e))
    return isInput(e.getOperand(0));
  auto exp = [&](const Expression &x) {
    return is<math::ExpOp>(x) && isInput(x.getOperand(0));
  };
  if (is<arith::SubFOp>(e))
    return isNumber(e.getOperand(1), 1) && exp(e.getOperand(0));
  return isSum(e, exp, -1);
}

bool Formula::isInputExtremum(const Expression &e, bool max, bool &keepsNaN) {
  std::optional<Extremum> extremum = matchExtremum(e);
  if (!extremum || extremum->max != max || extremum->bound != 0 ||
      !isInput(extremum->value))
    return false;
  keepsNaN = extremum->keepsNaN;
  return true;
}

/// x where it is positive, else alpha * (exp(x) - 1); or the sum of both parts.
std::optional<Activation> Formula::matchElu(const Expression &e) {
  double alpha = 1;
  auto negative = [&](const Expression &x) {
    SmallVector<Expression> factors;
    std::optional<double> constant = splitProduct(x, factors);
    alpha = constant.value_or(0);
    return constant && factors.size() == 1 && isExpMinusOne(factors[0]);
  };
  if (is<arith::SelectOp>(e)) {
    std::optional<Comparison> comparison = matchComparison(e.getOperand(0));
    if (!comparison || comparison->number != 0 || !isInput(comparison->value))
      return std::nullopt;
    unsigned large = comparison->greater ? 1 : 2;
    if (!isInput(e.getOperand(large)) || !negative(e.getOperand(3 - large)))
      return std::nullopt;
    return Activation{Kind::elu, {alpha}};
  }
  bool keepsNaN = false, keepsBelow = false;
  auto below = [&](const Expression &x) {
    std::optional<Extremum> extremum = matchExtremum(x);
    if (!extremum || extremum->max || extremum->bound != 0)
      return false;
    keepsBelow = extremum->keepsNaN;
    return negative(extremum->value);
  };
  auto above = [&](const Expression &x) {
    return isInputExtremum(x, /*max=*/true, keepsNaN);
  };
  if (!commutes<arith::AddFOp>(e, above, below) || !(alpha > 0) ||
      !(keepsNaN || keepsBelow))
    return std::nullopt;
  return Activation{Kind::elu, {alpha}};
}

/// x where it is positive, else slope * x; or the sum of both parts.
std::optional<Activation> Formula::matchLeakyRelu(const Expression &e) {
  double slope = 1;
  auto scaled = [&](const Expression &x) {
    SmallVector<Expression> factors;
    std::optional<double> constant = splitProduct(x, factors);
    slope = constant.value_or(0);
    return constant && x.getOp<arith::MulFOp>() && factors.size() == 1 &&
           isInput(factors[0]);
  };
  if (is<arith::SelectOp>(e)) {
    std::optional<Comparison> comparison = matchComparison(e.getOperand(0));
    if (!comparison || comparison->number != 0 || !isInput(comparison->value))
      return std::nullopt;
    unsigned large = comparison->greater ? 1 : 2;
    if (!isInput(e.getOperand(large)) || !scaled(e.getOperand(3 - large)))
      return std::nullopt;
    return Activation{Kind::leaky_relu, {slope}};
  }
  bool keepsNaN = false, keepsBelow = false;
  auto above = [&](const Expression &x) {
    return isInputExtremum(x, /*max=*/true, keepsNaN);
  };
  auto below = [&](const Expression &x) {
    SmallVector<Expression> factors;
    std::optional<double> constant = splitProduct(x, factors);
    slope = constant.value_or(0);
    return constant && factors.size() == 1 &&
           isInputExtremum(factors[0], /*max=*/false, keepsBelow);
  };
  if (!commutes<arith::AddFOp>(e, above, below) || !(keepsNaN || keepsBelow))
    return std::nullopt;
  return Activation{Kind::leaky_relu, {slope}};
}

std::optional<Activation> Formula::matchRelu(const Expression &e) {
  bool keepsNaN;
  if (!isInputExtremum(e, /*max=*/true, keepsNaN) || !keepsNaN)
    return std::nullopt;
  return Activation{Kind::relu};
}

std::optional<Activation> Formula::matchBounds(const Expression &e) {
  std::optional<Clamp> clamp = matchClamp(e);
  if (!clamp || !isInput(clamp->value))
    return std::nullopt;
  if (clamp->low == 0 && clamp->high == 6)
    return Activation{Kind::relu6, {}, !clamp->keepsNaN};
  return Activation{Kind::clamp, {clamp->low, clamp->high}, !clamp->keepsNaN};
}

std::optional<Activation> Formula::matchTanh(const Expression &e) {
  if (!is<math::TanhOp>(e) || !isInput(e.getOperand(0)))
    return std::nullopt;
  return Activation{Kind::tanh};
}

/// Whether nothing but `root` needs what lies between it and `input`.
static bool isClosed(linalg::GenericOp root, Value input) {
  llvm::SetVector<Operation *> formula;
  formula.insert(root);
  for (size_t i = 0; i < formula.size(); ++i)
    for (Value operand : formula[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (operand != input && op && !op->hasTrait<OpTrait::ConstantLike>() &&
          !isa<tensor::EmptyOp, linalg::FillOp>(op))
        formula.insert(op);
    }
  return llvm::all_of(llvm::drop_begin(formula), [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return formula.contains(user);
    });
  });
}

namespace {
struct RaiseActivation : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!isa<FloatType>(type.getElementType()) || type.getEncoding())
      return failure();
    Expression root = Expression::ofElement(op.getResult(0));
    // Those that contain others first.
    for (auto match :
         {&Formula::matchHardswish, &Formula::matchSilu, &Formula::matchMish,
          &Formula::matchGelu, &Formula::matchHardsigmoid,
          &Formula::matchSigmoid, &Formula::matchSoftplus, &Formula::matchElu,
          &Formula::matchLeakyRelu, &Formula::matchRelu, &Formula::matchBounds,
          &Formula::matchTanh}) {
      Formula formula(type);
      std::optional<Activation> activation = (formula.*match)(root);
      if (!activation || !isClosed(op, formula.getInput()))
        continue;
      DenseF64ArrayAttr parameters;
      if (!activation->parameters.empty())
        parameters = rewriter.getDenseF64ArrayAttr(activation->parameters);
      rewriter.replaceOpWithNewOp<ElementwiseOp>(
          op, type, activation->kind, ValueRange{formula.getInput()},
          /*into=*/Value(), parameters, activation->ignoresNaN);
      return success();
    }
    return failure();
  }
};
} // namespace

void memfmt::populateActivationRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseActivation>(patterns.getContext());
}
