//===- NormElements.cpp - definitions of norms and softmax ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// A box of an operand: all elements that one statistic is over.
struct Box {
  /// First index and number of elements for each axis.
  SmallVector<Value> starts, sizes;
};
} // namespace

/// Sums over a box of what `terms` gives for the indices of each element.
static SmallVector<Value>
sumOverBox(ScalarBuilder &s, const Box &box, Type type, unsigned count,
           llvm::function_ref<SmallVector<Value>(ValueRange)> terms) {
  SmallVector<Value> zeros(count, s.constant(type, 0));
  return s.nest(box.sizes, zeros,
                [&](ValueRange place, ValueRange sums) -> SmallVector<Value> {
                  SmallVector<Value> at;
                  for (auto [start, i] : llvm::zip_equal(box.starts, place))
                    at.push_back(s.add(start, i));
                  SmallVector<Value> next;
                  for (auto [sum, term] : llvm::zip_equal(sums, terms(at)))
                    next.push_back(s.add(sum, term));
                  return next;
                });
}

static Value countBox(ScalarBuilder &s, const Box &box, Type type) {
  Value count = s.index(1);
  for (Value size : box.sizes)
    count = s.mul(count, size);
  return s.convert(count, type);
}

namespace {
struct Statistics {
  Value mean, variance, count;
};
} // namespace

/// Mean and biased variance of operand `input` over a box: two passes, so that
/// nothing cancels.
static Statistics getStatistics(ScalarBuilder &s, const Box &box,
                                const ElementReader &reader, unsigned input,
                                Type type) {
  Value count = countBox(s, box, type);
  Value mean =
      s.div(sumOverBox(s, box, type, 1,
                       [&](ValueRange at) -> SmallVector<Value> {
                         return {s.convert(reader.read(input, at), type)};
                       })[0],
            count);
  Value variance =
      s.div(sumOverBox(s, box, type, 1,
                       [&](ValueRange at) -> SmallVector<Value> {
                         Value d = s.sub(
                             s.convert(reader.read(input, at), type), mean);
                         return {s.mul(d, d)};
                       })[0],
            count);
  return {mean, variance, count};
}

static Value invert(ScalarBuilder &s, Value variance, APFloat epsilon) {
  Type type = variance.getType();
  Value shifted = s.add(variance, s.constant(type, epsilon.convertToDouble()));
  return s.div(s.constant(type, 1),
               math::SqrtOp::create(s.b, shifted).getResult());
}

/// One channel of all images.
static Box getChannelBox(ScalarBuilder &s, const ElementReader &reader,
                         unsigned input, int64_t rank, Value channel) {
  Box box;
  for (int64_t axis = 0; axis < rank; ++axis) {
    box.starts.push_back(axis == 1 ? channel : s.index(0));
    box.sizes.push_back(axis == 1 ? s.index(1) : reader.size(input, axis));
  }
  return box;
}

/// All elements that agree with `indices` on the axes before `first`.
static Box getLastAxesBox(ScalarBuilder &s, const ElementReader &reader,
                          unsigned input, int64_t rank, int64_t first,
                          ValueRange indices) {
  Box box;
  for (int64_t axis = 0; axis < rank; ++axis) {
    box.starts.push_back(axis < first ? indices[axis] : s.index(0));
    box.sizes.push_back(axis < first ? s.index(1) : reader.size(input, axis));
  }
  return box;
}

/// A group of channels of one image.
static Box getGroupBox(ScalarBuilder &s, const ElementReader &reader,
                       unsigned input, int64_t rank, Value image, Value channel,
                       Value perGroup) {
  Box box;
  box.starts = {image, s.mul(s.div(channel, perGroup), perGroup)};
  box.sizes = {s.index(1), perGroup};
  for (int64_t axis = 2; axis < rank; ++axis) {
    box.starts.push_back(s.index(0));
    box.sizes.push_back(reader.size(input, axis));
  }
  return box;
}

/// `value * scale[at] + offset[at]`, where they are given.
template <typename OpT>
static Value scaleAndShift(OpT op, ScalarBuilder &s, Value value,
                           const ElementReader &reader, ValueRange at) {
  unsigned next = 1;
  if (op.getScale())
    value = s.mul(value, s.convert(reader.read(next++, at), value.getType()));
  if (op.getOffset())
    value = s.add(value, s.convert(reader.read(next, at), value.getType()));
  return value;
}

/// `(x - mean) / sqrt(variance + epsilon)`.
template <typename OpT>
static Value normalise(OpT op, ScalarBuilder &s, const ElementReader &reader,
                       ValueRange indices, const Box &box) {
  Type element = op.getInput().getType().getElementType();
  Type type = getSumType(element);
  Statistics statistics = getStatistics(s, box, reader, 0, type);
  Value centred =
      s.sub(s.convert(reader.read(0, indices), type), statistics.mean);
  return s.mul(centred, invert(s, statistics.variance, op.getEpsilon()));
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

namespace {
struct GroupNormElements {
  static Value build(GroupNormOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    return buildGrouped(op, s, indices, reader,
                        s.div(reader.size(0, 1), s.index(op.getGroups())));
  }
  static Value build(InstanceNormOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    return buildGrouped(op, s, indices, reader, s.index(1));
  }

private:
  template <typename OpT>
  static Value buildGrouped(OpT op, ScalarBuilder &s, ValueRange indices,
                            const ElementReader &reader, Value perGroup) {
    Box box = getGroupBox(s, reader, 0, indices.size(), indices[0], indices[1],
                          perGroup);
    Value value = normalise(op, s, reader, indices, box);
    value = scaleAndShift(op, s, value, reader, {indices[1]});
    return s.convert(value, op.getInput().getType().getElementType());
  }
};

struct LayerNormElements {
  static Value build(LayerNormOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    int64_t rank = indices.size(), first = rank - op.getNumAxes();
    Box box = getLastAxesBox(s, reader, 0, rank, first, indices);
    Value value = normalise(op, s, reader, indices, box);
    value = scaleAndShift(op, s, value, reader, indices.drop_front(first));
    return s.convert(value, op.getInput().getType().getElementType());
  }
};

struct BatchNormTrainingElements {
  static Value build(BatchNormTrainingOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType(), type = getSumType(element);
    Value channel = result == 0 ? indices[1] : indices[0];
    Box box = getChannelBox(s, reader, 0, input.getRank(), channel);
    if (result == 0) {
      Value value = normalise(op, s, reader, indices, box);
      value = scaleAndShift(op, s, value, reader, {channel});
      return s.convert(value, element);
    }
    Statistics statistics = getStatistics(s, box, reader, 0, type);
    return s.convert(result == 1 ? statistics.mean : statistics.variance,
                     element);
  }
};

struct LocalResponseNormElements {
  static Value build(LocalResponseNormOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Type element = op.getInput().getType().getElementType();
    Type type = getSumType(element);
    int64_t size = op.getSize();
    Value first = s.sub(indices[1], s.index(size / 2));
    Value channels = reader.size(0, 1);
    Value sum = s.loop(s.index(0), s.index(size), s.constant(type, 0),
                       [&](Value i, ValueRange carried) -> SmallVector<Value> {
                         Value channel = s.add(first, i);
                         return {s.guarded(
                             s.inside(channel, channels),
                             [&] {
                               SmallVector<Value> at(indices);
                               at[1] = channel;
                               Value x = s.convert(reader.read(0, at), type);
                               return s.add(carried[0], s.mul(x, x));
                             },
                             carried[0])};
                       })
                    .front();
    auto number = [&](APFloat value) {
      return s.constant(type, value.convertToDouble());
    };
    Value base = s.add(
        number(op.getK()),
        s.mul(s.div(number(op.getAlpha()), s.constant(type, double(size))),
              sum));
    Value power = math::PowFOp::create(s.b, base, number(op.getBeta()));
    Value x = s.convert(reader.read(0, indices), type);
    return s.convert(s.div(x, power), element);
  }
};

/// The maximum is subtracted before exponentials are taken.
struct SoftmaxElements {
  static Value build(SoftmaxOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Type element = op.getInput().getType().getElementType();
    Type type = getSumType(element);
    Value size = reader.size(0, op.getAxis());
    auto read = [&](Value i) {
      SmallVector<Value> at(indices);
      at[op.getAxis()] = i;
      return s.convert(reader.read(0, at), type);
    };
    Value largest =
        s.loop(s.index(0), size, s.lowest(type),
               [&](Value i, ValueRange carried) -> SmallVector<Value> {
                 return {s.max(carried[0], read(i))};
               })
            .front();
    auto exponential = [&](Value i) -> Value {
      return math::ExpOp::create(s.b, s.sub(read(i), largest));
    };
    Value sum = s.loop(s.index(0), size, s.constant(type, 0),
                       [&](Value i, ValueRange carried) -> SmallVector<Value> {
                         return {s.add(carried[0], exponential(i))};
                       })
                    .front();
    Value own = indices[op.getAxis()];
    Value value = op.getLog() ? s.sub(s.sub(read(own), largest),
                                      math::LogOp::create(s.b, sum).getResult())
                              : s.div(exponential(own), sum);
    return s.convert(value, element);
  }
};

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

/// Operands of both: gradient, input; the statistics differ.
///
///   dx = inverse * (g - mean(g) - x^ * mean(g * x^)),  g = dy * scale,
///   x^ = (x - mean) * inverse
struct BatchNormBackwardElements {
  static Value build(BatchNormBackwardOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType(), type = getSumType(element);
    Value channel = result == 0 ? indices[1] : indices[0];
    auto vector = [&](unsigned operand) {
      return s.convert(reader.read(operand, {channel}), type);
    };
    Value mean = vector(2);
    Value inverse = invert(s, vector(3), op.getEpsilon());
    auto dy = [&](ValueRange at) {
      return s.convert(reader.read(0, at), type);
    };
    auto hat = [&](ValueRange at) {
      return s.mul(s.sub(s.convert(reader.read(1, at), type), mean), inverse);
    };
    Box box = getChannelBox(s, reader, 1, input.getRank(), channel);
    SmallVector<Value> sums =
        sumOverBox(s, box, type, 2, [&](ValueRange at) -> SmallVector<Value> {
          return {dy(at), s.mul(dy(at), hat(at))};
        });
    if (result != 0)
      return s.convert(result == 1 ? sums[1] : sums[0], element);
    Value count = countBox(s, box, type);
    Value centred = s.sub(dy(indices), s.div(sums[0], count));
    centred = s.sub(centred, s.mul(hat(indices), s.div(sums[1], count)));
    return s.convert(s.mul(s.mul(vector(4), inverse), centred), element);
  }
};

struct GroupNormBackwardElements {
  static Value build(GroupNormBackwardOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType(), type = getSumType(element);
    Value perGroup = s.div(reader.size(1, 1), s.index(op.getGroups()));
    auto dy = [&](ValueRange at) {
      return s.convert(reader.read(0, at), type);
    };
    if (result == 2)
      return s.convert(
          sumOverBox(
              s, getChannelBox(s, reader, 1, input.getRank(), indices[0]), type,
              1,
              [&](ValueRange at) -> SmallVector<Value> { return {dy(at)}; })[0],
          element);
    if (result == 1)
      return s.convert(
          buildScaleGradient(op, s, indices[0], reader, perGroup, type),
          element);
    Box box = getGroupBox(s, reader, 1, input.getRank(), indices[0], indices[1],
                          perGroup);
    Statistics statistics = getStatistics(s, box, reader, 1, type);
    Value inverse = invert(s, statistics.variance, op.getEpsilon());
    auto hat = [&](ValueRange at) {
      return s.mul(s.sub(s.convert(reader.read(1, at), type), statistics.mean),
                   inverse);
    };
    auto scaled = [&](ValueRange at) {
      return s.mul(dy(at), s.convert(reader.read(2, {at[1]}), type));
    };
    SmallVector<Value> sums =
        sumOverBox(s, box, type, 2, [&](ValueRange at) -> SmallVector<Value> {
          return {scaled(at), s.mul(scaled(at), hat(at))};
        });
    Value centred = s.sub(scaled(indices), s.div(sums[0], statistics.count));
    centred =
        s.sub(centred, s.mul(hat(indices), s.div(sums[1], statistics.count)));
    return s.convert(s.mul(inverse, centred), element);
  }

private:
  /// Every image has statistics of its own.
  static Value buildScaleGradient(GroupNormBackwardOp op, ScalarBuilder &s,
                                  Value channel, const ElementReader &reader,
                                  Value perGroup, Type type) {
    int64_t rank = op.getInput().getType().getRank();
    return s
        .loop(s.index(0), reader.size(1, 0), s.constant(type, 0),
              [&](Value image, ValueRange carried) -> SmallVector<Value> {
                Statistics statistics = getStatistics(
                    s,
                    getGroupBox(s, reader, 1, rank, image, channel, perGroup),
                    reader, 1, type);
                Value inverse = invert(s, statistics.variance, op.getEpsilon());
                Box own = getChannelBox(s, reader, 1, rank, channel);
                own.starts[0] = image;
                own.sizes[0] = s.index(1);
                Value sum = sumOverBox(
                    s, own, type, 1, [&](ValueRange at) -> SmallVector<Value> {
                      Value d = s.sub(s.convert(reader.read(1, at), type),
                                      statistics.mean);
                      return {s.mul(s.convert(reader.read(0, at), type), d)};
                    })[0];
                return {s.add(carried[0], s.mul(sum, inverse))};
              })
        .front();
  }
};

/// The formula of batch normalisation, with statistics over the last axes.
struct LayerNormBackwardElements {
  static Value build(LayerNormBackwardOp op, ScalarBuilder &s, unsigned result,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType(), type = getSumType(element);
    int64_t rank = input.getRank(), first = rank - op.getNumAxes();
    Value value =
        result == 0
            ? buildInputGradient(op, s, indices, reader, type)
            : sumOverRows(op, s, first, reader, type,
                          [&](ValueRange row) -> Value {
                            SmallVector<Value> at(row);
                            llvm::append_range(at, indices);
                            Value dy = s.convert(reader.read(0, at), type);
                            if (result == 2)
                              return dy;
                            return s.mul(dy, hat(op, s, at, reader, type));
                          });
    return s.convert(value, element);
  }

private:
  static Box getBox(LayerNormBackwardOp op, ScalarBuilder &s, ValueRange at,
                    const ElementReader &reader) {
    int64_t rank = op.getInput().getType().getRank();
    return getLastAxesBox(s, reader, 1, rank, rank - op.getNumAxes(), at);
  }

  /// The normalised input at one place.
  static Value hat(LayerNormBackwardOp op, ScalarBuilder &s, ValueRange at,
                   const ElementReader &reader, Type type) {
    Statistics statistics =
        getStatistics(s, getBox(op, s, at, reader), reader, 1, type);
    return s.mul(s.sub(s.convert(reader.read(1, at), type), statistics.mean),
                 invert(s, statistics.variance, op.getEpsilon()));
  }

  static Value sumOverRows(LayerNormBackwardOp op, ScalarBuilder &s,
                           int64_t first, const ElementReader &reader,
                           Type type,
                           llvm::function_ref<Value(ValueRange)> term) {
    SmallVector<Value> sizes;
    for (int64_t axis = 0; axis < first; ++axis)
      sizes.push_back(reader.size(1, axis));
    return s
        .nest(sizes, s.constant(type, 0),
              [&](ValueRange row, ValueRange sum) -> SmallVector<Value> {
                return {s.add(sum[0], term(row))};
              })
        .front();
  }

  static Value buildInputGradient(LayerNormBackwardOp op, ScalarBuilder &s,
                                  ValueRange indices,
                                  const ElementReader &reader, Type type) {
    Box box = getBox(op, s, indices, reader);
    Statistics statistics = getStatistics(s, box, reader, 1, type);
    Value inverse = invert(s, statistics.variance, op.getEpsilon());
    int64_t first = indices.size() - op.getNumAxes();
    auto normalised = [&](ValueRange at) {
      return s.mul(s.sub(s.convert(reader.read(1, at), type), statistics.mean),
                   inverse);
    };
    auto scaled = [&](ValueRange at) {
      return s.mul(s.convert(reader.read(0, at), type),
                   s.convert(reader.read(2, at.drop_front(first)), type));
    };
    SmallVector<Value> sums =
        sumOverBox(s, box, type, 2, [&](ValueRange at) -> SmallVector<Value> {
          return {scaled(at), s.mul(scaled(at), normalised(at))};
        });
    Value centred = s.sub(scaled(indices), s.div(sums[0], statistics.count));
    centred = s.sub(
        centred, s.mul(normalised(indices), s.div(sums[1], statistics.count)));
    return s.mul(inverse, centred);
  }
};
} // namespace

void memfmt::attachNormElements(MLIRContext *context) {
  attachElements<GroupNormElements, GroupNormOp, InstanceNormOp>(context);
  attachElements<LayerNormElements, LayerNormOp>(context);
  attachElements<BatchNormTrainingElements, BatchNormTrainingOp>(context);
  attachElements<BatchNormBackwardElements, BatchNormBackwardOp>(context);
  attachElements<GroupNormBackwardElements, GroupNormBackwardOp>(context);
  attachElements<LayerNormBackwardElements, LayerNormBackwardOp>(context);
  attachElements<LocalResponseNormElements, LocalResponseNormOp>(context);
  attachElements<SoftmaxElements, SoftmaxOp>(context);
}
