//===- MovementElements.cpp - where moved elements come from ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"

#include "memfmt/ExternalModels/ElementLowering.h"
#include "memfmt/IR/MemFmt.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace memfmt;

/// The place of an element in row-major order, and back.
static Value linearize(ScalarBuilder &s, ValueRange indices, ValueRange sizes) {
  Value position = s.index(0);
  for (auto [index, size] : llvm::zip_equal(indices, sizes))
    position = s.add(s.mul(position, size), index);
  return position;
}

static SmallVector<Value> delinearize(ScalarBuilder &s, Value position,
                                      ValueRange sizes) {
  SmallVector<Value> indices(sizes.size());
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 1; i >= 0; --i) {
    indices[i] = s.mod(position, sizes[i]);
    position = s.div(position, sizes[i]);
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {
struct PermuteElements {
  static Value build(PermuteOp op, ScalarBuilder &, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at(indices.size());
    for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
      at[axis] = indices[i];
    return reader.read(0, at);
  }
};

struct ReshapeElements {
  static Value build(ReshapeOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> from, to;
    for (int64_t axis = 0; axis < op.getInput().getType().getRank(); ++axis)
      from.push_back(reader.size(0, axis));
    for (int64_t size : op.getResult().getType().getShape())
      to.push_back(s.index(size));
    return reader.read(0, delinearize(s, linearize(s, indices, to), from));
  }
};

struct ExpandElements {
  static Value build(ExpandOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType type = op.getInput().getType();
    SmallVector<Value> at;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      at.push_back(type.getDimSize(axis) == 1
                       ? s.index(0)
                       : indices[indices.size() - type.getRank() + axis]);
    return reader.read(0, at);
  }
};

struct SqueezeElements {
  static Value build(SqueezeOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    RankedTensorType type = op.getInput().getType();
    SmallVector<Value> at;
    for (int64_t axis = 0, next = 0; axis < type.getRank(); ++axis) {
      bool removed =
          type.getDimSize(axis) == 1 && llvm::is_contained(op.getAxes(), axis);
      at.push_back(removed ? s.index(0) : indices[next++]);
    }
    return reader.read(0, at);
  }
};

struct UnsqueezeElements {
  static Value build(UnsqueezeOp op, ScalarBuilder &, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at(indices);
    at.erase(at.begin() + op.getAxis());
    return reader.read(0, at);
  }
};

struct SelectElements {
  static Value build(SelectOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at(indices);
    at.insert(at.begin() + op.getAxis(), s.index(op.getIndex()));
    return reader.read(0, at);
  }
};

struct DiagonalElements {
  static Value build(DiagonalOp op, ScalarBuilder &, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at;
    int64_t rank = op.getInput().getType().getRank(), next = 0;
    for (int64_t axis = 0; axis < rank; ++axis) {
      bool diagonal = axis == static_cast<int64_t>(op.getAxis1()) ||
                      axis == static_cast<int64_t>(op.getAxis2());
      at.push_back(diagonal ? indices.back() : indices[next++]);
    }
    return reader.read(0, at);
  }
};

struct SlidingWindowElements {
  static Value build(SlidingWindowOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at(indices.drop_back());
    Value &moved = at[op.getAxis()];
    moved = s.add(s.mul(moved, s.index(op.getStep())), indices.back());
    return reader.read(0, at);
  }
};

//===----------------------------------------------------------------------===//
// Padding, flips, repetition
//===----------------------------------------------------------------------===//

struct PadElements {
  static Value build(memfmt::PadOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at;
    Value inside;
    for (auto [axis, index] : llvm::enumerate(indices)) {
      Value size = reader.size(0, axis);
      Value i = s.sub(index, s.index(op.getLow()[axis]));
      bool padded = op.getLow()[axis] > 0 || op.getHigh()[axis] > 0;
      if (padded && op.getMode() == PadMode::constant) {
        Value here = s.inside(i, size);
        inside = inside ? s.andOf(inside, here) : here;
      } else if (padded) {
        i = fold(s, op.getMode(), i, size);
      }
      at.push_back(i);
    }
    if (!inside)
      return reader.read(0, at);
    Type type = op.getResult().getType().getElementType();
    double value = op.getValue() ? op.getValue()->convertToDouble() : 0;
    return s.guarded(
        inside, [&] { return reader.read(0, at); }, s.constant(type, value));
  }

private:
  /// The element of the input that stands outside of it.
  static Value fold(ScalarBuilder &s, PadMode mode, Value i, Value size) {
    Value last = s.sub(size, s.index(1));
    if (mode == PadMode::circular)
      return s.mod(i, size);
    if (mode == PadMode::replicate)
      return s.min(s.max(i, s.index(0)), last);
    Value mirrored = s.max(i, s.sub(s.index(0), i));
    return s.select(s.lt(last, mirrored), s.sub(s.add(last, last), mirrored),
                    mirrored);
  }
};

struct FlipElements {
  static Value build(FlipOp op, ScalarBuilder &s, unsigned, ValueRange indices,
                     const ElementReader &reader) {
    SmallVector<Value> at(indices);
    for (int64_t axis : op.getAxes())
      at[axis] = s.sub(s.sub(reader.size(0, axis), s.index(1)), indices[axis]);
    return reader.read(0, at);
  }
};

struct RollElements {
  static Value build(RollOp op, ScalarBuilder &s, unsigned, ValueRange indices,
                     const ElementReader &reader) {
    SmallVector<Value> at(indices);
    for (auto [axis, shift] : llvm::zip_equal(op.getAxes(), op.getShifts()))
      at[axis] =
          s.mod(s.sub(indices[axis], s.index(shift)), reader.size(0, axis));
    return reader.read(0, at);
  }
};

struct RepeatElements {
  static Value build(RepeatOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    int64_t rank = op.getInput().getType().getRank();
    int64_t added = indices.size() - rank;
    SmallVector<Value> at;
    for (int64_t axis = 0; axis < rank; ++axis) {
      Value i = indices[axis + added];
      at.push_back(op.getInterleave() ? s.div(i, s.index(op.getRepeats()[axis]))
                                      : s.mod(i, reader.size(0, axis)));
    }
    return reader.read(0, at);
  }
};

struct StackElements {
  static Value build(StackOp op, ScalarBuilder &s, unsigned, ValueRange indices,
                     const ElementReader &reader) {
    SmallVector<Value> at(indices);
    Value which = indices[op.getAxis()];
    at.erase(at.begin() + op.getAxis());
    Value element = reader.read(0, at);
    for (unsigned i = 1, e = op.getInputs().size(); i < e; ++i)
      element = s.select(s.eq(which, s.index(i)), reader.read(i, at), element);
    return element;
  }
};

struct IndexSelectElements {
  static Value build(IndexSelectOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    SmallVector<Value> at(indices);
    Value &moved = at[op.getAxis()];
    moved = s.convert(reader.read(1, {moved}), s.b.getIndexType());
    return reader.read(0, at);
  }
};

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

struct PixelShuffleElements {
  static Value build(PixelShuffleOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Value factor = s.index(op.getFactor());
    SmallVector<Value> at(indices);
    for (unsigned axis = 2; axis < indices.size(); ++axis) {
      at[1] = s.add(s.mul(at[1], factor), s.mod(indices[axis], factor));
      at[axis] = s.div(indices[axis], factor);
    }
    return reader.read(0, at);
  }
};

struct PixelUnshuffleElements {
  static Value build(PixelUnshuffleOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Value factor = s.index(op.getFactor());
    SmallVector<Value> at(indices);
    for (int64_t axis = static_cast<int64_t>(indices.size()) - 1; axis >= 2;
         --axis) {
      at[axis] = s.add(s.mul(indices[axis], factor), s.mod(at[1], factor));
      at[1] = s.div(at[1], factor);
    }
    return reader.read(0, at);
  }
};

struct ChannelShuffleElements {
  static Value build(ChannelShuffleOp op, ScalarBuilder &s, unsigned,
                     ValueRange indices, const ElementReader &reader) {
    Value groups = s.index(op.getGroups());
    Value inGroup = s.div(reader.size(0, 1), groups);
    SmallVector<Value> at(indices);
    at[1] = s.add(s.mul(s.mod(indices[1], groups), inGroup),
                  s.div(indices[1], groups));
    return reader.read(0, at);
  }
};

struct GluElements {
  static Value build(GluOp op, ScalarBuilder &s, unsigned, ValueRange indices,
                     const ElementReader &reader) {
    Value x = reader.read(0, indices);
    SmallVector<Value> at(indices);
    at[op.getAxis()] = s.add(indices[op.getAxis()],
                             s.div(reader.size(0, op.getAxis()), s.index(2)));
    Value gate = reader.read(0, at);
    Value one = s.constant(x.getType(), 1);
    Value e = math::ExpOp::create(s.b, s.sub(s.constant(x.getType(), 0), gate));
    return s.mul(x, s.div(one, s.add(one, e)));
  }
};
} // namespace

void memfmt::attachMovementElements(MLIRContext *context) {
  attachElements<PermuteElements, PermuteOp>(context);
  attachElements<ReshapeElements, ReshapeOp>(context);
  attachElements<ExpandElements, ExpandOp>(context);
  attachElements<SqueezeElements, SqueezeOp>(context);
  attachElements<UnsqueezeElements, UnsqueezeOp>(context);
  attachElements<SelectElements, SelectOp>(context);
  attachElements<DiagonalElements, DiagonalOp>(context);
  attachElements<SlidingWindowElements, SlidingWindowOp>(context);
  attachElements<PadElements, memfmt::PadOp>(context);
  attachElements<FlipElements, FlipOp>(context);
  attachElements<RollElements, RollOp>(context);
  attachElements<RepeatElements, RepeatOp>(context);
  attachElements<StackElements, StackOp>(context);
  attachElements<IndexSelectElements, IndexSelectOp>(context);
  attachElements<PixelShuffleElements, PixelShuffleOp>(context);
  attachElements<PixelUnshuffleElements, PixelUnshuffleOp>(context);
  attachElements<ChannelShuffleElements, ChannelShuffleOp>(context);
  attachElements<GluElements, GluOp>(context);
}
