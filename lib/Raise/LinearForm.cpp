//===- LinearForm.cpp - sums of gathered elements ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

/// A cubic resize of three axes has 64 elements; factored weights make more
/// terms of them.
static constexpr size_t kMaxTerms = 1024;

/// Formulas that use a part twice grow without end.
static constexpr unsigned kMaxSteps = 4096;

namespace {
using Terms = SmallVector<LinearTerm>;

/// Builds the form of one result.
class FormBuilder {
public:
  FormBuilder(Value result)
      : shape(cast<RankedTensorType>(result.getType()).getShape()) {}

  FailureOr<Terms> build(const Expression &scalar);
  LinearForm form;

private:
  FailureOr<Terms> buildOperation(const Expression &scalar);
  FailureOr<Terms> multiply(const Terms &a, const Terms &b);
  std::optional<WeightTable> tabulate(const Expression &scalar);
  FailureOr<Terms> gather(const Expression &scalar);
  std::optional<std::vector<int64_t>> tabulateIndex(const Expression &index,
                                                    unsigned axis);

  ArrayRef<int64_t> shape;
  ScalarEvaluator evaluator;
  unsigned steps = 0;
};
} // namespace

/// The numbers of a scalar that depends on one index at most.
std::optional<WeightTable> FormBuilder::tabulate(const Expression &scalar) {
  uint64_t dependences = scalar.getDependences(evaluator);
  if (dependences & (dependences - 1))
    return std::nullopt;
  WeightTable table;
  table.axis = dependences ? llvm::countr_zero(dependences) : 0;
  SmallVector<int64_t> indices(shape.size(), 0);
  int64_t size = dependences ? shape[table.axis] : 1;
  for (int64_t i = 0; i < size; ++i) {
    indices[table.axis] = i;
    std::optional<double> value = getFloat(scalar.evaluate(evaluator, indices));
    if (!value)
      return std::nullopt;
    table.values.push_back(*value);
  }
  if (!dependences)
    table.values.assign(shape[0], table.values.front());
  return table;
}

std::optional<std::vector<int64_t>>
FormBuilder::tabulateIndex(const Expression &index, unsigned axis) {
  if (index.getDependences(evaluator) & ~(uint64_t(1) << axis))
    return std::nullopt;
  int64_t size = cast<RankedTensorType>(form.source.getType()).getDimSize(axis);
  std::vector<int64_t> table;
  SmallVector<int64_t> indices(shape.size(), 0);
  for (int64_t i = 0; i < shape[axis]; ++i) {
    indices[axis] = i;
    std::optional<int64_t> value =
        getInteger(index.evaluate(evaluator, indices));
    if (!value || *value < 0 || *value >= size)
      return std::nullopt;
    table.push_back(*value);
  }
  return table;
}

FailureOr<Terms> FormBuilder::gather(const Expression &scalar) {
  auto extract = scalar.getOp<tensor::ExtractOp>();
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  if (!type.hasStaticShape() || type.getRank() != int64_t(shape.size()) ||
      (form.source && form.source != extract.getTensor()))
    return failure();
  form.source = extract.getTensor();
  GatheredElement element;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    auto table = tabulateIndex(scalar.getOperand(axis + 1), axis);
    if (!table)
      return failure();
    element.indices.push_back(std::move(*table));
  }
  form.elements.push_back(std::move(element));
  LinearTerm term;
  term.element = form.elements.size() - 1;
  return Terms{term};
}

FailureOr<Terms> FormBuilder::multiply(const Terms &a, const Terms &b) {
  if (a.size() * b.size() > kMaxTerms)
    return failure();
  Terms product;
  for (const LinearTerm &x : a)
    for (const LinearTerm &y : b) {
      if (x.element && y.element)
        return failure();
      LinearTerm term = x;
      term.coefficient *= y.coefficient;
      term.weights.append(y.weights);
      if (y.element)
        term.element = y.element;
      product.push_back(term);
    }
  return product;
}

FailureOr<Terms> FormBuilder::buildOperation(const Expression &scalar) {
  Operation *op = scalar.getOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                       arith::DivFOp, arith::NegFOp>(op))
    return failure();
  FailureOr<Terms> a = build(scalar.getOperand(0));
  if (failed(a))
    return failure();
  auto negate = [](Terms &terms) {
    for (LinearTerm &term : terms)
      term.coefficient = -term.coefficient;
  };
  if (isa<arith::NegFOp>(op)) {
    negate(*a);
    return a;
  }
  if (isa<arith::DivFOp>(op)) {
    std::optional<WeightTable> divisor = tabulate(scalar.getOperand(1));
    if (!divisor || llvm::is_contained(divisor->values, 0.0))
      return failure();
    for (double &value : divisor->values)
      value = 1 / value;
    form.weights.push_back(std::move(*divisor));
    for (LinearTerm &term : *a)
      term.weights.push_back(form.weights.size() - 1);
    return a;
  }
  FailureOr<Terms> b = build(scalar.getOperand(1));
  if (failed(b))
    return failure();
  if (isa<arith::MulFOp>(op))
    return multiply(*a, *b);
  if (isa<arith::SubFOp>(op))
    negate(*b);
  a->append(*b);
  if (a->size() > kMaxTerms)
    return failure();
  return a;
}

FailureOr<Terms> FormBuilder::build(const Expression &scalar) {
  if (++steps > kMaxSteps)
    return failure();
  if (scalar.getOp<tensor::ExtractOp>()) {
    // Elements that are known are weights.
    if (std::optional<WeightTable> table = tabulate(scalar)) {
      form.weights.push_back(std::move(*table));
      LinearTerm term;
      term.weights.push_back(form.weights.size() - 1);
      return Terms{term};
    }
    return gather(scalar);
  }
  if (FailureOr<double> number = scalar.getConstantDouble();
      succeeded(number)) {
    LinearTerm term;
    term.coefficient = *number;
    return Terms{term};
  }
  if (std::optional<WeightTable> table = tabulate(scalar)) {
    form.weights.push_back(std::move(*table));
    LinearTerm term;
    term.weights.push_back(form.weights.size() - 1);
    return Terms{term};
  }
  return buildOperation(scalar);
}

FailureOr<LinearForm> LinearForm::match(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.hasStaticShape() || type.getRank() == 0 || type.getRank() > 63 ||
      type.getNumElements() == 0)
    return failure();
  FormBuilder builder(result);
  FailureOr<Terms> terms = builder.build(Expression::ofElement(result));
  if (failed(terms) || !builder.form.source)
    return failure();
  // Terms without an element are a constant: no weighted sum.
  for (const LinearTerm &term : *terms)
    if (!term.element)
      return failure();
  builder.form.terms = std::move(*terms);
  return std::move(builder.form);
}

void LinearForm::getWeights(
    ArrayRef<int64_t> indices, unsigned firstAxis,
    SmallVectorImpl<std::pair<int64_t, double>> &out) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(source.getType()).getShape();
  out.clear();
  for (const LinearTerm &term : terms) {
    double weight = term.coefficient;
    for (unsigned factor : term.weights)
      weight *= weights[factor].values[indices[weights[factor].axis]];
    int64_t position = 0;
    for (size_t axis = firstAxis; axis < shape.size(); ++axis)
      position = position * shape[axis] +
                 elements[*term.element].indices[axis][indices[axis]];
    auto found = llvm::find_if(
        out, [&](const auto &entry) { return entry.first == position; });
    if (found != out.end())
      found->second += weight;
    else
      out.push_back({position, weight});
  }
  llvm::sort(out);
}
