//===- ConstantEvaluatorMovement.cpp - moves of known elements --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "StridedCopy.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace memfmt;

/// The type of the only result, where a constant can have it.
static RankedTensorType getResultType(Operation *op) {
  Type type = op->getResult(0).getType();
  return ConstantTensor::getNumBytes(type) ? cast<RankedTensorType>(type)
                                           : RankedTensorType();
}

static int64_t getElementBytes(RankedTensorType type) {
  return *ConstantTensor::getElementBytes(type.getElementType());
}

/// A result of the bytes that `axes` pick from `source`, starting at element
/// `offset`; axes are in the order of the result.
static ConstantResults gather(RankedTensorType type,
                              const ConstantTensor &source,
                              ArrayRef<CopyAxis> axes, int64_t offset = 0) {
  if (source.isSplat())
    return asResults(ConstantTensor::getSplat(type, source.getData()));
  ConstantTensor result = ConstantTensor::allocate(type);
  int64_t bytes = getElementBytes(type);
  copyStrided(result.getMutableData(), source.getData().data() + offset * bytes,
              axes, bytes);
  return asResults(std::move(result));
}

ConstantResults memfmt::evaluateRetype(Operation *op,
                                       ConstantOperands operands) {
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  return asResults(operands[0]->withType(type));
}

//===----------------------------------------------------------------------===//
// Transpose, broadcast, fill, slice
//===----------------------------------------------------------------------===//

static ConstantResults evaluateTranspose(Operation *op,
                                         ConstantOperands operands) {
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  SmallVector<int64_t> from =
      getRowMajorStrides(operands[0]->getType().getShape());
  SmallVector<int64_t> to = getRowMajorStrides(type.getShape());
  SmallVector<CopyAxis> axes;
  for (auto [i, axis] :
       llvm::enumerate(cast<linalg::TransposeOp>(op).getPermutation()))
    axes.push_back({type.getDimSize(i), to[i], from[axis]});
  return gather(type, *operands[0], axes);
}

static ConstantResults evaluateBroadcast(Operation *op,
                                         ConstantOperands operands) {
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  ArrayRef<int64_t> added = cast<linalg::BroadcastOp>(op).getDimensions();
  SmallVector<int64_t> from =
      getRowMajorStrides(operands[0]->getType().getShape());
  SmallVector<int64_t> to = getRowMajorStrides(type.getShape());
  SmallVector<CopyAxis> axes;
  size_t next = 0;
  for (int64_t i = 0, e = type.getRank(); i < e; ++i)
    axes.push_back({type.getDimSize(i), to[i],
                    llvm::is_contained(added, i) ? 0 : from[next++]});
  return gather(type, *operands[0], axes);
}

static ConstantResults evaluateFill(Operation *op, ConstantOperands operands) {
  RankedTensorType type = getResultType(op);
  // The scalar is converted where it has another type; that is left alone.
  if (!type || operands[0]->getType().getElementType() != type.getElementType())
    return failure();
  return asResults(ConstantTensor::getSplat(type, operands[0]->getData()));
}

static ConstantResults evaluateExtractSlice(Operation *op,
                                            ConstantOperands operands) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  RankedTensorType type = getResultType(op);
  if (!type || llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) ||
      llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic) ||
      llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic))
    return failure();
  ArrayRef<int64_t> shape = operands[0]->getType().getShape();
  SmallVector<int64_t> from = getRowMajorStrides(shape);
  SmallVector<int64_t> to = getRowMajorStrides(slice.getStaticSizes());
  SmallVector<CopyAxis> axes;
  int64_t offset = 0;
  for (auto [i, start, size, stride] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getStaticSizes(),
                       slice.getStaticStrides())) {
    // Out of bounds is undefined, and the verifier does not see all of it.
    int64_t last;
    if (size > 0 &&
        (start < 0 || stride < 1 || llvm::MulOverflow(size - 1, stride, last) ||
         llvm::AddOverflow(last, start, last) || last >= shape[i]))
      return failure();
    axes.push_back({size, to[i], from[i] * stride});
    offset += start * from[i];
  }
  return gather(type, *operands[0], axes, offset);
}

//===----------------------------------------------------------------------===//
// Pad, concat
//===----------------------------------------------------------------------===//

/// The bytes of a scalar constant of this type; empty for other values.
static SmallVector<char> getScalarBytes(Value value, Type elementType) {
  Attribute attribute;
  if (!value || !matchPattern(value, m_Constant(&attribute)))
    return {};
  FailureOr<ConstantTensor> scalar =
      ConstantTensor::get(attribute, [&] { return emitError(value.getLoc()); });
  if (failed(scalar) || scalar->getType().getElementType() != elementType ||
      scalar->getType().getRank() != 0)
    return {};
  return SmallVector<char>(scalar->getData());
}

/// Makes all elements equal.
static void fillWith(ConstantTensor &tensor, ArrayRef<char> element) {
  RankedTensorType type = tensor.getType();
  copyStrided(tensor.getMutableData(), element.data(),
              {{type.getNumElements(), 1, 0}}, element.size());
}

/// Strides to read a tensor of this shape with: 0 for a splat.
static SmallVector<int64_t> getReadStrides(const ConstantTensor &tensor) {
  ArrayRef<int64_t> shape = tensor.getType().getShape();
  return tensor.isSplat() ? SmallVector<int64_t>(shape.size(), 0)
                          : getRowMajorStrides(shape);
}

/// Writes `source` into `target` at the element with these indices.
static void insert(ConstantTensor &target, const ConstantTensor &source,
                   ArrayRef<int64_t> at) {
  SmallVector<int64_t> to = getRowMajorStrides(target.getType().getShape());
  SmallVector<int64_t> from = getReadStrides(source);
  SmallVector<CopyAxis> axes;
  int64_t offset = 0;
  for (auto [i, size] : llvm::enumerate(source.getType().getShape())) {
    axes.push_back({size, to[i], from[i]});
    offset += at[i] * to[i];
  }
  int64_t bytes = getElementBytes(target.getType());
  copyStrided(target.getMutableData() + offset * bytes, source.getData().data(),
              axes, bytes);
}

static ConstantResults evaluatePad(Operation *op, ConstantOperands operands) {
  auto pad = cast<tensor::PadOp>(op);
  RankedTensorType type = getResultType(op);
  auto isUsable = [](int64_t size) {
    return size >= 0;
  }; // Dynamic is negative.
  if (!type || !llvm::all_of(pad.getStaticLow(), isUsable) ||
      !llvm::all_of(pad.getStaticHigh(), isUsable))
    return failure();
  SmallVector<char> element =
      getScalarBytes(pad.getConstantPaddingValue(), type.getElementType());
  if (element.empty())
    return failure();
  if (operands[0]->isSplat() && operands[0]->getData() == ArrayRef(element))
    return asResults(ConstantTensor::getSplat(type, element));
  ConstantTensor result = ConstantTensor::allocate(type);
  fillWith(result, element);
  insert(result, *operands[0], pad.getStaticLow());
  return asResults(std::move(result));
}

static ConstantResults evaluateConcat(Operation *op,
                                      ConstantOperands operands) {
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  uint64_t axis = cast<tensor::ConcatOp>(op).getDim();
  SmallVector<int64_t> at(type.getRank(), 0);
  ConstantTensor result = ConstantTensor::allocate(type);
  for (const ConstantTensor *operand : operands) {
    insert(result, *operand, at);
    at[axis] += operand->getType().getDimSize(axis);
  }
  return asResults(std::move(result));
}

//===----------------------------------------------------------------------===//
// Pack, unpack
//===----------------------------------------------------------------------===//

namespace {
/// How a plain tensor and its packed form lie: for each plain axis the strides
/// of its outer axis in the packed form, and of its tile if it has one.
struct Tiling {
  struct Axis {
    int64_t size, plain, outer, tile = 1, inner = 0;
  };
  SmallVector<Axis> axes;

  template <typename OpT>
  static FailureOr<Tiling> get(OpT op, RankedTensorType plain,
                               RankedTensorType packed) {
    ArrayRef<int64_t> order = op.getOuterDimsPerm();
    SmallVector<int64_t> plainStrides = getRowMajorStrides(plain.getShape());
    SmallVector<int64_t> packedStrides = getRowMajorStrides(packed.getShape());
    Tiling tiling;
    for (auto [size, stride] : llvm::zip_equal(plain.getShape(), plainStrides))
      tiling.axes.push_back({size, stride, 0});
    for (int64_t i = 0, rank = plain.getRank(); i < rank; ++i)
      tiling.axes[order.empty() ? i : order[i]].outer = packedStrides[i];
    for (auto [i, axis, tile] :
         llvm::enumerate(op.getInnerDimsPos(), op.getStaticTiles())) {
      if (ShapedType::isDynamic(tile))
        return failure();
      tiling.axes[axis].tile = tile;
      tiling.axes[axis].inner = packedStrides[plain.getRank() + i];
    }
    return tiling;
  }

  /// Calls `copy` for the boxes that cover the plain tensor: whole tiles, and
  /// for each axis that its tile does not divide the rest. Strides of the
  /// packed form are the targets. Offsets are in elements.
  void
  forEachBox(llvm::function_ref<void(ArrayRef<CopyAxis> box,
                                     int64_t packedOffset, int64_t plainOffset)>
                 copy) const {
    SmallVector<CopyAxis> box;
    visit(0, box, 0, 0, copy);
  }

private:
  void visit(size_t i, SmallVectorImpl<CopyAxis> &box, int64_t packedOffset,
             int64_t plainOffset,
             llvm::function_ref<void(ArrayRef<CopyAxis>, int64_t, int64_t)>
                 copy) const {
    if (i == axes.size())
      return copy(box, packedOffset, plainOffset);
    const Axis &axis = axes[i];
    int64_t whole = axis.size / axis.tile, rest = axis.size % axis.tile;
    auto visitPart = [&](int64_t count, int64_t size, int64_t skipped) {
      box.push_back({count, axis.outer, axis.plain * axis.tile});
      box.push_back({size, axis.inner, axis.plain});
      visit(i + 1, box, packedOffset + skipped * axis.outer,
            plainOffset + skipped * axis.plain * axis.tile, copy);
      box.pop_back_n(2);
    };
    if (whole > 0)
      visitPart(whole, axis.tile, 0);
    if (rest > 0)
      visitPart(1, rest, whole);
  }
};
} // namespace

static ConstantResults evaluatePack(Operation *op, ConstantOperands operands) {
  auto pack = cast<linalg::PackOp>(op);
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  const ConstantTensor &source = *operands[0];
  FailureOr<Tiling> tiling = Tiling::get(pack, source.getType(), type);
  if (failed(tiling))
    return failure();
  bool padded = type.getNumElements() != source.getType().getNumElements();
  SmallVector<char> element =
      getScalarBytes(pack.getPaddingValue(), type.getElementType());
  if (padded && element.empty())
    return failure();
  if (source.isSplat() && (!padded || source.getData() == ArrayRef(element)))
    return asResults(ConstantTensor::getSplat(type, source.getData()));
  ConstantTensor result = ConstantTensor::allocate(type);
  if (padded)
    fillWith(result, element);
  int64_t bytes = getElementBytes(type);
  tiling->forEachBox([&](ArrayRef<CopyAxis> box, int64_t to, int64_t from) {
    SmallVector<CopyAxis> axes(box);
    if (source.isSplat()) {
      from = 0;
      for (CopyAxis &axis : axes)
        axis.source = 0;
    }
    copyStrided(result.getMutableData() + to * bytes,
                source.getData().data() + from * bytes, axes, bytes);
  });
  return asResults(std::move(result));
}

static ConstantResults evaluateUnPack(Operation *op,
                                      ConstantOperands operands) {
  auto unpack = cast<linalg::UnPackOp>(op);
  RankedTensorType type = getResultType(op);
  if (!type)
    return failure();
  const ConstantTensor &source = *operands[0];
  FailureOr<Tiling> tiling = Tiling::get(unpack, type, source.getType());
  if (failed(tiling))
    return failure();
  if (source.isSplat())
    return asResults(ConstantTensor::getSplat(type, source.getData()));
  ConstantTensor result = ConstantTensor::allocate(type);
  int64_t bytes = getElementBytes(type);
  tiling->forEachBox([&](ArrayRef<CopyAxis> box, int64_t from, int64_t to) {
    SmallVector<CopyAxis> axes(box);
    for (CopyAxis &axis : axes)
      std::swap(axis.target, axis.source);
    copyStrided(result.getMutableData() + to * bytes,
                source.getData().data() + from * bytes, axes, bytes);
  });
  return asResults(std::move(result));
}

void memfmt::addMovementEvaluators(ConstantEvaluators &evaluators) {
  for (StringRef name : {"memfmt.to_format", "tensor.cast",
                         "tensor.expand_shape", "tensor.collapse_shape"})
    evaluators.add(name, evaluateRetype, /*keepsSplats=*/true);
  evaluators.add("linalg.transpose", evaluateTranspose, /*keepsSplats=*/true);
  evaluators.add("linalg.broadcast", evaluateBroadcast, /*keepsSplats=*/true);
  evaluators.add("linalg.fill", evaluateFill, /*keepsSplats=*/true);
  evaluators.add("linalg.unpack", evaluateUnPack, /*keepsSplats=*/true);
  evaluators.add("tensor.extract_slice", evaluateExtractSlice,
                 /*keepsSplats=*/true);
  evaluators.add("linalg.pack", evaluatePack, /*keepsSplats=*/false);
  evaluators.add("tensor.pad", evaluatePad, /*keepsSplats=*/false);
  evaluators.add("tensor.concat", evaluateConcat, /*keepsSplats=*/false);
}
