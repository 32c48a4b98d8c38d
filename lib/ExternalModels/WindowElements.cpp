//===- WindowElements.cpp - definitions of windowed operations --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

using namespace mlir;
using namespace memfmt;

/// The place in the input that window element `w` of result element `o` reads,
/// along one spatial axis.
template <typename OpT>
static Value getInputPlace(OpT op, ScalarBuilder &s, unsigned axis, Value o,
                           Value w) {
  Value start = s.sub(s.mul(o, s.index(op.getStrides()[axis])),
                      s.index(op.getPadLow()[axis]));
  return s.add(start, s.mul(w, s.index(op.getDilations()[axis])));
}

/// The inverse: the result element whose window element `w` reads input place
/// `i`, and whether there is one (of `size` elements).
template <typename OpT>
static std::pair<Value, Value> getResultPlace(OpT op, ScalarBuilder &s,
                                              unsigned axis, Value i, Value w,
                                              Value size) {
  Value stride = s.index(op.getStrides()[axis]);
  Value offset = s.sub(s.add(i, s.index(op.getPadLow()[axis])),
                       s.mul(w, s.index(op.getDilations()[axis])));
  Value place = s.div(offset, stride);
  Value exact = s.eq(s.mul(place, stride), offset);
  return {place, s.andOf(exact, s.inside(place, size))};
}

static SmallVector<Value> getSizes(const ElementReader &reader,
                                   unsigned operand, int64_t first,
                                   int64_t last) {
  SmallVector<Value> sizes;
  for (int64_t axis = first; axis < last; ++axis)
    sizes.push_back(reader.size(operand, axis));
  return sizes;
}

static SmallVector<Value> getIndices(ScalarBuilder &s,
                                     ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t v) { return s.index(v); });
}

/// The sum over nested loops of what `term` gives where `condition` holds.
using Term = llvm::function_ref<std::pair<Value, std::function<Value()>>(
    ValueRange indices)>;
static Value sumOver(ScalarBuilder &s, ValueRange sizes, Type type, Term term) {
  Value zero = s.constant(type, 0);
  return s
      .nest(sizes, zero,
            [&](ValueRange indices, ValueRange sum) -> SmallVector<Value> {
              auto [condition, value] = term(indices);
              auto added = [&, value = value] {
                return s.add(sum[0], s.convert(value(), type));
              };
              if (!condition)
                return {added()};
              return {s.guarded(condition, added, sum[0])};
            })
      .front();
}

//===----------------------------------------------------------------------===//
// Transposed convolution and gradients of convolution
//===----------------------------------------------------------------------===//

/// The element of a transposed convolution: sum over channels of the group and
/// window places of `gradient * filter`. `gradient` and `filter` are operand
/// numbers; `channels` channels of the gradient are in each of the groups.
template <typename OpT>
static Value buildTransposed(OpT op, ScalarBuilder &s, ValueRange indices,
                             const ElementReader &reader, unsigned gradient,
                             unsigned filter, Type type) {
  int64_t rank = indices.size(), spatial = rank - 2;
  Value groups = s.index(op.getGroups());
  Value perGroup = reader.size(filter, 1);
  Value group = s.div(indices[1], perGroup);
  Value inGroup = s.mod(indices[1], perGroup);
  Value channels = s.div(reader.size(gradient, 1), groups);
  SmallVector<Value> sizes = {channels};
  llvm::append_range(sizes, getSizes(reader, filter, 2, rank));
  return sumOver(s, sizes, type, [&](ValueRange loop) {
    Value channel = s.add(s.mul(group, channels), loop[0]);
    SmallVector<Value> from = {indices[0], channel},
                       weight = {channel, inGroup};
    Value valid;
    for (int64_t i = 0; i < spatial; ++i) {
      auto [place, exists] = getResultPlace(
          op, s, i, indices[i + 2], loop[i + 1], reader.size(gradient, i + 2));
      from.push_back(place);
      weight.push_back(loop[i + 1]);
      valid = valid ? s.andOf(valid, exists) : exists;
    }
    std::function<Value()> product = [&s, &reader, gradient, filter, from,
                                      weight, type] {
      return s.mul(s.convert(reader.read(gradient, from), type),
                   s.convert(reader.read(filter, weight), type));
    };
    return std::pair(valid, product);
  });
}

namespace {
struct ConvTransposeElements {
  static Value build(ConvTransposeOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Type element = op.getResult().getType().getElementType(),
         type = getSumType(element);
    Value sum = buildTransposed(op, s, indices, reader, 0, 1, type);
    if (op.getBias())
      sum = s.add(sum, s.convert(reader.read(2, {indices[1]}), type));
    return s.convert(sum, element);
  }
};

struct ConvBackwardElements {
  static Value build(ConvBackwardOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    Type element = op.getInput().getType().getElementType();
    return s.convert(
        buildSum(op, s, result, indices, reader, getSumType(element)), element);
  }

private:
  static Value buildSum(ConvBackwardOp op, ScalarBuilder &s, unsigned result,
                        ValueRange indices, const ElementReader &reader,
                        Type type) {
    if (result == 0)
      return buildTransposed(op, s, indices, reader, 0, 2, type);
    if (result == 1)
      return buildFilterGradient(op, s, indices, reader, type);
    return buildBiasGradient(s, indices, reader, type,
                             op.getInput().getType().getRank());
  }

  /// Sum over batch and result places of `gradient * input`.
  static Value buildFilterGradient(ConvBackwardOp op, ScalarBuilder &s,
                                   ValueRange indices,
                                   const ElementReader &reader, Type type) {
    int64_t rank = indices.size();
    Value perGroup = s.div(reader.size(0, 1), s.index(op.getGroups()));
    Value group = s.div(indices[0], perGroup);
    Value channel = s.add(s.mul(group, reader.size(2, 1)), indices[1]);
    SmallVector<Value> sizes = {reader.size(0, 0)};
    llvm::append_range(sizes, getSizes(reader, 0, 2, rank));
    return sumOver(s, sizes, type, [&](ValueRange loop) {
      SmallVector<Value> from = {loop[0], channel}, to = {loop[0], indices[0]};
      Value valid;
      for (int64_t i = 0; i < rank - 2; ++i) {
        Value place = getInputPlace(op, s, i, loop[i + 1], indices[i + 2]);
        Value here = s.inside(place, reader.size(1, i + 2));
        valid = valid ? s.andOf(valid, here) : here;
        from.push_back(place);
        to.push_back(loop[i + 1]);
      }
      std::function<Value()> product = [&s, &reader, from, to, type] {
        return s.mul(s.convert(reader.read(0, to), type),
                     s.convert(reader.read(1, from), type));
      };
      return std::pair(valid, product);
    });
  }

  static Value buildBiasGradient(ScalarBuilder &s, ValueRange indices,
                                 const ElementReader &reader, Type type,
                                 int64_t rank) {
    SmallVector<Value> sizes = {reader.size(0, 0)};
    llvm::append_range(sizes, getSizes(reader, 0, 2, rank));
    return sumOver(s, sizes, type, [&](ValueRange loop) {
      SmallVector<Value> at = {loop[0], indices[0]};
      llvm::append_range(at, loop.drop_front());
      std::function<Value()> element = [&reader, at] {
        return reader.read(0, at);
      };
      return std::pair(Value(), element);
    });
  }
};

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// The largest element of a window and its place in the row-major order of the
/// spatial axes of the input: the first one among equals, the last NaN if there
/// is one, as PyTorch's loop finds it.
template <typename OpT>
static SmallVector<Value>
findMaximum(OpT op, ScalarBuilder &s, ValueRange indices,
            const ElementReader &reader, unsigned input, Type type) {
  int64_t spatial = static_cast<int64_t>(indices.size()) - 2;
  SmallVector<Value> window = getIndices(s, op.getWindow());
  return s.nest(window, {s.lowest(type), s.index(-1)},
                [&](ValueRange w, ValueRange best) -> SmallVector<Value> {
                  SmallVector<Value> at = {indices[0], indices[1]};
                  Value valid, position = s.index(0);
                  for (int64_t i = 0; i < spatial; ++i) {
                    Value size = reader.size(input, i + 2);
                    Value place = getInputPlace(op, s, i, indices[i + 2], w[i]);
                    Value here = s.inside(place, size);
                    valid = valid ? s.andOf(valid, here) : here;
                    at.push_back(place);
                    position = s.add(s.mul(position, size), place);
                  }
                  Value element = s.guarded(
                      valid, [&] { return reader.read(input, at); }, best[0]);
                  Value first = s.lt(best[1], s.index(0));
                  Value larger =
                      s.orOf(s.lt(best[0], element), s.ne(element, element));
                  Value take = s.andOf(valid, s.orOf(first, larger));
                  return {s.select(take, element, best[0]),
                          s.select(take, position, best[1])};
                });
}

struct MaxPoolIndicesElements {
  static Value build(MaxPoolIndicesOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    Type type = op.getInput().getType().getElementType();
    SmallVector<Value> best = findMaximum(op, s, indices, reader, 0, type);
    if (result == 0)
      return best[0];
    return s.convert(best[1], op.getIndices().getType().getElementType());
  }
};

/// The last value whose index names this place, else zero.
struct MaxUnpoolElements {
  static Value build(MaxUnpoolOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType type = op.getResult().getType();
    int64_t rank = type.getRank();
    Value position = s.index(0);
    for (int64_t axis = 2; axis < rank; ++axis)
      position =
          s.add(s.mul(position, s.index(type.getDimSize(axis))), indices[axis]);
    return s
        .nest(getSizes(reader, 0, 2, rank),
              s.constant(type.getElementType(), 0),
              [&](ValueRange place, ValueRange found) -> SmallVector<Value> {
                SmallVector<Value> at = {indices[0], indices[1]};
                llvm::append_range(at, place);
                Value named = s.convert(reader.read(1, at), s.b.getIndexType());
                return {s.guarded(
                    s.eq(named, position), [&] { return reader.read(0, at); },
                    found[0])};
              })
        .front();
  }
};

/// What the windows over an element hand back to it.
struct PoolBackwardElements {
  static Value build(PoolBackwardOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    int64_t rank = indices.size(), spatial = rank - 2;
    Type element = op.getInput().getType().getElementType(),
         type = getSumType(element);
    SmallVector<Value> window = getIndices(s, op.getWindow());
    Value own = s.index(0);
    for (int64_t axis = 2; axis < rank; ++axis)
      own = s.add(s.mul(own, reader.size(1, axis)), indices[axis]);
    Value sum = sumOver(s, window, type, [&](ValueRange w) {
      SmallVector<Value> at = {indices[0], indices[1]};
      Value valid;
      for (int64_t i = 0; i < spatial; ++i) {
        auto [place, exists] = getResultPlace(op, s, i, indices[i + 2], w[i],
                                              reader.size(0, i + 2));
        valid = valid ? s.andOf(valid, exists) : exists;
        at.push_back(place);
      }
      std::function<Value()> share = [op, &s, &reader, at, own, type] {
        return getShare(op, s, reader, at, own, type);
      };
      return std::pair(valid, share);
    });
    return s.convert(sum, element);
  }

private:
  /// The part of the gradient at window `at` for the element at place `own`.
  static Value getShare(PoolBackwardOp op, ScalarBuilder &s,
                        const ElementReader &reader, ArrayRef<Value> at,
                        Value own, Type type) {
    Value gradient = s.convert(reader.read(0, at), type);
    if (op.getKind() == PoolKind::sum)
      return gradient;
    if (op.getKind() == PoolKind::avg)
      return s.div(gradient, countElements(op, s, reader, at, type));
    Type element = op.getInput().getType().getElementType();
    Value place = findMaximum(op, s, at, reader, 1, element)[1];
    return s.select(s.eq(place, own), gradient, s.constant(type, 0));
  }

  static Value countElements(PoolBackwardOp op, ScalarBuilder &s,
                             const ElementReader &reader, ArrayRef<Value> at,
                             Type type) {
    double area = 1;
    for (int64_t size : op.getWindow())
      area *= static_cast<double>(size);
    if (!op.getExcludePad())
      return s.constant(type, area);
    return sumOver(s, getIndices(s, op.getWindow()), type, [&](ValueRange w) {
      Value valid;
      for (unsigned i = 0; i < w.size(); ++i) {
        Value here = s.inside(getInputPlace(op, s, i, at[i + 2], w[i]),
                              reader.size(1, i + 2));
        valid = valid ? s.andOf(valid, here) : here;
      }
      std::function<Value()> one = [&s, type] { return s.constant(type, 1); };
      return std::pair(valid, one);
    });
  }
};

/// The window of a result element of an adaptive pool, for each spatial axis.
struct AdaptiveWindow {
  SmallVector<Value> starts, sizes;
  /// Number of elements.
  Value area;
};

/// From floor(o * in / out) to ceil((o + 1) * in / out).
void appendAdaptiveRange(ScalarBuilder &s, Value o, Value in, Value out,
                         AdaptiveWindow &window) {
  Value start = s.div(s.mul(o, in), out);
  Value next = s.mul(s.add(o, s.index(1)), in);
  Value end = s.div(s.add(next, s.sub(out, s.index(1))), out);
  window.starts.push_back(start);
  window.sizes.push_back(s.sub(end, start));
  window.area =
      window.area ? s.mul(window.area, window.sizes.back()) : window.sizes[0];
}

struct AdaptivePoolElements {
  static Value build(AdaptivePoolOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType type = op.getResult().getType();
    bool max = op.getKind() == PoolKind::max;
    Type element = type.getElementType(),
         sumType = max ? element : getSumType(element);
    AdaptiveWindow window;
    for (int64_t axis = 2; axis < type.getRank(); ++axis)
      appendAdaptiveRange(s, indices[axis], reader.size(0, axis),
                          s.index(type.getDimSize(axis)), window);
    Value total =
        s.nest(window.sizes, max ? s.lowest(element) : s.constant(sumType, 0),
               [&](ValueRange w, ValueRange sum) -> SmallVector<Value> {
                 SmallVector<Value> at = {indices[0], indices[1]};
                 for (auto [start, i] : llvm::zip_equal(window.starts, w))
                   at.push_back(s.add(start, i));
                 Value x = s.convert(reader.read(0, at), sumType);
                 return {max ? s.max(sum[0], x) : s.add(sum[0], x)};
               })
            .front();
    if (max)
      return total;
    return s.convert(s.div(total, s.convert(window.area, sumType)), element);
  }
};

/// Every window that holds an element hands its share back to it.
struct AdaptivePoolBackwardElements {
  static Value build(AdaptivePoolBackwardOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    int64_t rank = indices.size();
    Type element = op.getInput().getType().getElementType(),
         type = getSumType(element);
    Value sum =
        sumOver(s, getSizes(reader, 0, 2, rank), type, [&](ValueRange o) {
          AdaptiveWindow window;
          Value valid;
          for (int64_t i = 0; i < rank - 2; ++i) {
            appendAdaptiveRange(s, o[i], reader.size(1, i + 2),
                                reader.size(0, i + 2), window);
            Value here = s.inside(s.sub(indices[i + 2], window.starts[i]),
                                  window.sizes[i]);
            valid = valid ? s.andOf(valid, here) : here;
          }
          SmallVector<Value> own(indices), at = {indices[0], indices[1]};
          llvm::append_range(at, o);
          bool average = op.getKind() == PoolKind::avg;
          std::function<Value()> share = [average, &s, &reader, window, at, own,
                                          element, type] {
            Value gradient = s.convert(reader.read(0, at), type);
            if (average)
              return s.div(gradient, s.convert(window.area, type));
            Value first = isFirstMaximum(s, reader, window, own, element);
            return s.select(first, gradient, s.constant(type, 0));
          };
          return std::pair(valid, share);
        });
    return s.convert(sum, element);
  }

private:
  /// Whether the element at `own` is the maximum of a window of operand 1: the
  /// first one among equals, the last NaN if there is one, as PyTorch's loop
  /// finds it.
  static Value isFirstMaximum(ScalarBuilder &s, const ElementReader &reader,
                              const AdaptiveWindow &window, ArrayRef<Value> own,
                              Type type) {
    Value position = s.index(0), mine = s.index(0);
    for (auto [axis, size] : llvm::enumerate(window.sizes)) {
      Value i = s.sub(own[axis + 2], window.starts[axis]);
      mine = s.add(s.mul(mine, size), i);
    }
    SmallVector<Value> best = s.nest(
        window.sizes, {s.lowest(type), position},
        [&](ValueRange w, ValueRange best) -> SmallVector<Value> {
          SmallVector<Value> at = {own[0], own[1]};
          Value place = s.index(0);
          for (auto [axis, i] : llvm::enumerate(w)) {
            at.push_back(s.add(window.starts[axis], i));
            place = s.add(s.mul(place, window.sizes[axis]), i);
          }
          Value x = reader.read(1, at);
          Value take = s.orOf(s.lt(best[0], x), s.ne(x, x));
          return {s.select(take, x, best[0]), s.select(take, place, best[1])};
        });
    return s.eq(best[1], mine);
  }
};
} // namespace

void memfmt::attachWindowElements(MLIRContext *context) {
  attachElements<ConvTransposeElements, ConvTransposeOp>(context);
  attachElements<ConvBackwardElements, ConvBackwardOp>(context);
  attachElements<MaxPoolIndicesElements, MaxPoolIndicesOp>(context);
  attachElements<MaxUnpoolElements, MaxUnpoolOp>(context);
  attachElements<PoolBackwardElements, PoolBackwardOp>(context);
  attachElements<AdaptivePoolElements, AdaptivePoolOp>(context);
  attachElements<AdaptivePoolBackwardElements, AdaptivePoolBackwardOp>(context);
}
