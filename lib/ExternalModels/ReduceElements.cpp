//===- ReduceElements.cpp - definitions of reductions, products -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// The elements that one result element is over.
class Reduction {
public:
  Reduction(memfmt::ReduceOp op, ScalarBuilder &s, ValueRange indices,
            const ElementReader &reader);

  Value build();

private:
  using Step = llvm::function_ref<SmallVector<Value>(
      Value element, Value position, ValueRange carried)>;
  SmallVector<Value> fold(ValueRange initial, Step step);
  Value foldOne(Value initial,
                llvm::function_ref<Value(Value element, Value carried)> step);
  Value count();
  Value findPlace(bool largest);
  Value buildVariance();
  Value buildLogSumExp();

  memfmt::ReduceOp op;
  ScalarBuilder &s;
  const ElementReader &reader;
  Type type;
  SmallVector<Value> at, sizes;
  SmallVector<int64_t> axes;
};
} // namespace

Reduction::Reduction(memfmt::ReduceOp op, ScalarBuilder &s, ValueRange indices,
                     const ElementReader &reader)
    : op(op), s(s), reader(reader) {
  RankedTensorType input = op.getInput().getType();
  type = getSumType(input.getElementType());
  for (int64_t axis = 0, next = 0; axis < input.getRank(); ++axis) {
    bool reduced =
        op.getAxes().empty() || llvm::is_contained(op.getAxes(), axis);
    at.push_back(reduced ? Value() : indices[next]);
    if (!reduced || op.getKeepAxes())
      ++next;
    if (reduced) {
      axes.push_back(axis);
      sizes.push_back(reader.size(0, axis));
    }
  }
}

SmallVector<Value> Reduction::fold(ValueRange initial, Step step) {
  return s.nest(sizes, initial, [&](ValueRange place, ValueRange carried) {
    SmallVector<Value> indices = at;
    Value position = s.index(0);
    for (auto [axis, size, i] : llvm::zip_equal(axes, sizes, place)) {
      indices[axis] = i;
      position = s.add(s.mul(position, size), i);
    }
    Value element = reader.read(0, indices);
    if (isa<FloatType>(type))
      element = s.convert(element, type);
    return step(element, position, carried);
  });
}

Value Reduction::foldOne(Value initial,
                         llvm::function_ref<Value(Value, Value)> step) {
  return fold(initial,
              [&](Value element, Value, ValueRange carried)
                  -> SmallVector<Value> { return {step(element, carried[0])}; })
      .front();
}

Value Reduction::count() {
  Value product = s.index(1);
  for (Value size : sizes)
    product = s.mul(product, size);
  return s.convert(product, type);
}

/// The first place of the extreme element; NaN is more extreme than all.
Value Reduction::findPlace(bool largest) {
  Value none = s.index(-1);
  SmallVector<Value> best =
      fold({s.constant(type, 0), none},
           [&](Value element, Value position,
               ValueRange carried) -> SmallVector<Value> {
             Value better = largest ? s.lt(carried[0], element)
                                    : s.lt(element, carried[0]);
             Value nan = s.ne(element, element);
             Value kept = s.eq(carried[0], carried[0]);
             Value first = s.lt(carried[1], s.index(0));
             Value take = s.orOf(first, s.andOf(kept, s.orOf(better, nan)));
             return {s.select(take, element, carried[0]),
                     s.select(take, position, carried[1])};
           });
  return best[1];
}

/// Unbiased, in two passes.
Value Reduction::buildVariance() {
  Value zero = s.constant(type, 0), n = count();
  Value mean = s.div(
      foldOne(zero, [&](Value x, Value sum) { return s.add(sum, x); }), n);
  Value squares = foldOne(zero, [&](Value x, Value sum) {
    Value d = s.sub(x, mean);
    return s.add(sum, s.mul(d, d));
  });
  return s.div(squares, s.sub(n, s.constant(type, 1)));
}

Value Reduction::buildLogSumExp() {
  Value largest = foldOne(s.lowest(type),
                          [&](Value x, Value best) { return s.max(best, x); });
  Value sum = foldOne(s.constant(type, 0), [&](Value x, Value carried) {
    Value e = math::ExpOp::create(s.b, s.sub(x, largest));
    return s.add(carried, e);
  });
  return s.add(largest, math::LogOp::create(s.b, sum).getResult());
}

Value Reduction::build() {
  auto sum = [&] {
    return foldOne(s.constant(type, 0),
                   [&](Value x, Value carried) { return s.add(carried, x); });
  };
  auto truth = [&](Value x) { return s.convert(x, s.b.getI1Type()); };
  switch (op.getKind()) {
  case ReduceKind::sum:
    return sum();
  case ReduceKind::mean:
    return s.div(sum(), count());
  case ReduceKind::prod:
    return foldOne(s.constant(type, 1),
                   [&](Value x, Value carried) { return s.mul(carried, x); });
  case ReduceKind::max:
    return foldOne(s.lowest(type),
                   [&](Value x, Value best) { return s.max(best, x); });
  case ReduceKind::min: {
    Value highest = isa<FloatType>(type)
                        ? s.sub(s.constant(type, 0), s.lowest(type))
                        : s.sub(s.constant(type, -1), s.lowest(type));
    return foldOne(highest,
                   [&](Value x, Value best) { return s.min(best, x); });
  }
  case ReduceKind::argmax:
    return findPlace(/*largest=*/true);
  case ReduceKind::argmin:
    return findPlace(/*largest=*/false);
  case ReduceKind::any:
    return foldOne(s.constant(s.b.getI1Type(), 0), [&](Value x, Value carried) {
      return s.orOf(carried, truth(x));
    });
  case ReduceKind::all:
    return foldOne(s.constant(s.b.getI1Type(), 1), [&](Value x, Value carried) {
      return s.andOf(carried, truth(x));
    });
  case ReduceKind::var:
    return buildVariance();
  case ReduceKind::std:
    return math::SqrtOp::create(s.b, buildVariance());
  case ReduceKind::logsumexp:
    return buildLogSumExp();
  }
  llvm_unreachable("unknown kind");
}

namespace {
struct ReduceElements {
  static Value build(memfmt::ReduceOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Value value = Reduction(op, s, indices, reader).build();
    return s.convert(value, op.getResult().getType().getElementType());
  }
};

struct MatmulElements {
  static Value build(MatmulOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Type element = op.getResult().getType().getElementType(),
         type = getSumType(element);
    unsigned rank = indices.size();
    RankedTensorType a = op.getA().getType(), b = op.getB().getType();
    auto leading = [&](RankedTensorType operand) {
      SmallVector<Value> at;
      for (int64_t axis = 0; axis < operand.getRank() - 2; ++axis)
        at.push_back(operand.getDimSize(axis) == 1
                         ? s.index(0)
                         : indices[rank - operand.getRank() + axis]);
      return at;
    };
    SmallVector<Value> left = leading(a), right = leading(b);
    Value sum =
        s.loop(s.index(0), reader.size(0, a.getRank() - 1), s.constant(type, 0),
               [&](Value k, ValueRange carried) -> SmallVector<Value> {
                 SmallVector<Value> atA = left, atB = right;
                 atA.append({indices[rank - 2], k});
                 if (op.getTransposeB())
                   atB.append({indices[rank - 1], k});
                 else
                   atB.append({k, indices[rank - 1]});
                 Value product = s.mul(s.convert(reader.read(0, atA), type),
                                       s.convert(reader.read(1, atB), type));
                 return {s.add(carried[0], product)};
               })
            .front();
    return s.convert(sum, element);
  }
};
} // namespace

void memfmt::attachReduceElements(MLIRContext *context) {
  attachElements<ReduceElements, memfmt::ReduceOp>(context);
  attachElements<MatmulElements, MatmulOp>(context);
}
