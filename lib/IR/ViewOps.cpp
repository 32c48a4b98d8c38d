//===- ViewOps.cpp - the same elements under other axes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InferenceSupport.h"

using namespace mlir;
using namespace memfmt;

using Layout = std::optional<StridedLayout>;

/// `a * b`, dynamic where one of them is; wraps in the manner of addresses.
static int64_t times(int64_t a, int64_t b) {
  if (isDynamic(a) || isDynamic(b))
    return ShapedType::kDynamic;
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

static int64_t plus(int64_t a, int64_t b) {
  if (isDynamic(a) || isDynamic(b))
    return ShapedType::kDynamic;
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != type.getRank())
    return inferenceError(location, getOperationName(),
                          "expects a permutation of ", type.getRank(),
                          " axes, found ", permutation.size());
  if (failed(
          checkAxes(location, getOperationName(), permutation, type.getRank())))
    return failure();
  types.push_back(plainType(
      llvm::map_to_vector(permutation,
                          [&](int64_t axis) { return type.getDimSize(axis); }),
      type));
  return success();
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType() &&
      llvm::is_sorted(getPermutation()))
    return getInput();
  auto before = getInput().getDefiningOp<PermuteOp>();
  if (!before || before.getInput().getType().getEncoding() ||
      getInput().getType().getEncoding() || getResult().getType().getEncoding())
    return {};
  SmallVector<int64_t> composed;
  for (int64_t axis : getPermutation())
    composed.push_back(before.getPermutation()[axis]);
  if (llvm::is_sorted(composed) &&
      before.getInput().getType() == getResult().getType())
    return before.getInput();
  getInputMutable().assign(before.getInput());
  setPermutation(composed);
  return getResult();
}

Layout PermuteOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view;
  view.offset = source.offset;
  for (int64_t axis : getPermutation()) {
    view.sizes.push_back(source.sizes[axis]);
    view.strides.push_back(source.strides[axis]);
  }
  return view;
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (input.getElementType() != result.getElementType())
    return emitOpError("expects a result of element type ")
           << input.getElementType() << ", found " << result.getElementType();
  if (!input.hasStaticShape() || !result.hasStaticShape())
    return success();
  auto count = [](RankedTensorType type) {
    __int128 product = 1;
    for (int64_t size : type.getShape())
      product = std::min<__int128>(product * size, __int128(1) << 63);
    return product;
  };
  if (count(input) != count(result))
    return emitOpError("expects as many elements in ")
           << result << " as in " << input;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getResult().getType().hasStaticShape())
    if (OpFoldResult same = foldToInput(getInput(), getResult()))
      return same;
  // Two reshapes are one, unless the first one is a view by the program's word.
  auto before = getInput().getDefiningOp<ReshapeOp>();
  if (!before || before.getView() || getView() ||
      before.getInput().getType().getEncoding() ||
      getInput().getType().getEncoding() || getResult().getType().getEncoding())
    return {};
  if (before.getInput().getType() == getResult().getType() &&
      getResult().getType().hasStaticShape())
    return before.getInput();
  getInputMutable().assign(before.getInput());
  return getResult();
}

/// Axes of the source are taken in groups whose memory is one run; sizes of the
/// result must split these groups.
std::optional<SmallVector<int64_t>>
memfmt::getViewStrides(const StridedLayout &source, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  int64_t numElements = 1;
  for (int64_t size : source.sizes)
    numElements = times(numElements, size);
  if (ArrayRef(source.sizes) == sizes && numElements == 0)
    return source.strides;
  if (numElements == 0) {
    int64_t stride = 1;
    for (int64_t i = sizes.size() - 1; i >= 0; --i) {
      strides[i] = stride;
      stride = times(stride, std::max<int64_t>(sizes[i], 1));
    }
    return strides;
  }
  int64_t to = static_cast<int64_t>(sizes.size()) - 1;
  int64_t base = source.sizes.empty() ? 1 : source.strides.back();
  int64_t run = 1, taken = 1;
  for (int64_t from = static_cast<int64_t>(source.sizes.size()) - 1; from >= 0;
       --from) {
    run = times(run, source.sizes[from]);
    bool ends = from == 0 || (source.sizes[from - 1] != 1 &&
                              source.strides[from - 1] != times(run, base));
    if (!ends)
      continue;
    while (to >= 0 && (taken < run || sizes[to] == 1)) {
      strides[to] = times(taken, base);
      taken = times(taken, sizes[to--]);
    }
    if (taken != run)
      return std::nullopt;
    if (from > 0) {
      base = source.strides[from - 1];
      run = taken = 1;
    }
  }
  if (to >= 0 && !source.sizes.empty())
    return std::nullopt;
  return strides;
}

Layout ReshapeOp::getViewLayout(const StridedLayout &source) {
  RankedTensorType result = getResult().getType();
  if (!source.isStatic() || !result.hasStaticShape())
    return std::nullopt;
  std::optional<SmallVector<int64_t>> strides =
      getViewStrides(source, result.getShape());
  if (!strides)
    return std::nullopt;
  return StridedLayout{llvm::to_vector(result.getShape()), *strides,
                       source.offset};
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (input.getElementType() != result.getElementType())
    return emitOpError("expects a result of element type ")
           << input.getElementType() << ", found " << result.getElementType();
  int64_t added = result.getRank() - input.getRank();
  if (added < 0)
    return emitOpError("expects a result of rank ")
           << input.getRank() << " or more, found rank " << result.getRank();
  for (int64_t axis = 0; axis < input.getRank(); ++axis)
    if (int64_t from = input.getDimSize(axis),
        to = result.getDimSize(axis + added);
        from != 1 && !sizesMayAgree(from, to))
      return emitOpError("expands only axes of size 1, found ")
             << from << " to " << to << " on result axis " << axis + added;
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  if (!getResult().getType().hasStaticShape())
    return {};
  return foldToInput(getInput(), getResult());
}

Layout ExpandOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view;
  view.offset = source.offset;
  view.sizes = llvm::to_vector(getResult().getType().getShape());
  int64_t added = view.sizes.size() - source.sizes.size();
  view.strides.assign(added, 0);
  for (auto [axis, size] : llvm::enumerate(source.sizes)) {
    bool repeated = size == 1 && view.sizes[axis + added] != 1;
    view.strides.push_back(repeated ? 0 : source.strides[axis]);
  }
  // A new axis of size 1 repeats nothing: it steps over what is inside.
  if (!source.sizes.empty())
    for (int64_t axis = added - 1; axis >= 0; --axis)
      if (view.sizes[axis] == 1)
        view.strides[axis] =
            ShapedType::isDynamic(view.sizes[axis + 1]) ||
                    ShapedType::isDynamic(view.strides[axis + 1])
                ? ShapedType::kDynamic
                : times(view.sizes[axis + 1], view.strides[axis + 1]);
  return view;
}

//===----------------------------------------------------------------------===//
// SqueezeOp, UnsqueezeOp
//===----------------------------------------------------------------------===//

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  if (failed(checkAxes(location, getOperationName(), adaptor.getAxes(),
                       type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool named = llvm::is_contained(adaptor.getAxes(), axis);
    if (named && type.isDynamicDim(axis))
      return inferenceError(location, getOperationName(),
                            "expects a static size on axis ", axis);
    if (!named || type.getDimSize(axis) != 1)
      shape.push_back(type.getDimSize(axis));
  }
  types.push_back(plainType(shape, type));
  return success();
}

/// Nothing to remove, or the axis that was just added.
OpFoldResult SqueezeOp::fold(FoldAdaptor) {
  if (OpFoldResult same = foldToInput(getInput(), getResult()))
    return same;
  auto added = getInput().getDefiningOp<UnsqueezeOp>();
  if (added && getAxes().size() == 1 &&
      getAxes()[0] == static_cast<int64_t>(added.getAxis()))
    return foldToInput(added.getInput(), getResult());
  return {};
}

Layout SqueezeOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view;
  view.offset = source.offset;
  for (auto [axis, size] : llvm::enumerate(source.sizes)) {
    if (size == 1 && llvm::is_contained(getAxes(), static_cast<int64_t>(axis)))
      continue;
    view.sizes.push_back(size);
    view.strides.push_back(source.strides[axis]);
  }
  return view;
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(location, getOperationName(), axis, type.getRank() + 1)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  types.push_back(plainType(shape, type));
  return success();
}

/// The axis that was just removed.
OpFoldResult UnsqueezeOp::fold(FoldAdaptor) {
  auto removed = getInput().getDefiningOp<SqueezeOp>();
  if (removed && removed.getAxes().size() == 1 &&
      removed.getAxes()[0] == static_cast<int64_t>(getAxis()))
    return foldToInput(removed.getInput(), getResult());
  return {};
}

/// The new axis steps over the axis that it precedes.
Layout UnsqueezeOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view = source;
  int64_t axis = getAxis();
  bool last = axis == static_cast<int64_t>(source.sizes.size());
  int64_t stride = last ? 1 : times(source.sizes[axis], source.strides[axis]);
  view.sizes.insert(view.sizes.begin() + axis, 1);
  view.strides.insert(view.strides.begin() + axis, stride);
  return view;
}

//===----------------------------------------------------------------------===//
// SelectOp, DiagonalOp, SlidingWindowOp
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t axis = adaptor.getAxis(), index = adaptor.getIndex();
  if (failed(checkAxis(location, getOperationName(), axis, type.getRank())))
    return failure();
  int64_t size = type.getDimSize(axis);
  if (index < 0 || (!isDynamic(size) && index >= size))
    return inferenceError(location, getOperationName(),
                          "expects an index from 0 to below the size ", size,
                          " of axis ", axis, ", found ", index);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  types.push_back(plainType(shape, type));
  return success();
}

Layout SelectOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view = source;
  int64_t axis = getAxis();
  view.offset = plus(source.offset, times(getIndex(), source.strides[axis]));
  view.sizes.erase(view.sizes.begin() + axis);
  view.strides.erase(view.strides.begin() + axis);
  return view;
}

LogicalResult DiagonalOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t a = adaptor.getAxis1(), b = adaptor.getAxis2();
  if (failed(checkAxes(location, getOperationName(), {a, b}, type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (axis != a && axis != b)
      shape.push_back(type.getDimSize(axis));
  int64_t first = type.getDimSize(a), second = type.getDimSize(b);
  shape.push_back(isDynamic(first) || isDynamic(second)
                      ? ShapedType::kDynamic
                      : std::min(first, second));
  types.push_back(plainType(shape, type));
  return success();
}

Layout DiagonalOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view;
  view.offset = source.offset;
  int64_t a = getAxis1(), b = getAxis2();
  for (auto [axis, size] : llvm::enumerate(source.sizes))
    if (static_cast<int64_t>(axis) != a && static_cast<int64_t>(axis) != b) {
      view.sizes.push_back(size);
      view.strides.push_back(source.strides[axis]);
    }
  view.sizes.push_back(getResult().getType().getShape().back());
  view.strides.push_back(plus(source.strides[a], source.strides[b]));
  return view;
}

LogicalResult SlidingWindowOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType type = rankedType(adaptor.getInput());
  int64_t axis = adaptor.getAxis(), size = adaptor.getSize(),
          step = adaptor.getStep();
  if (failed(checkAxis(location, getOperationName(), axis, type.getRank())))
    return failure();
  int64_t length = type.getDimSize(axis);
  if (size < 1 || (!isDynamic(length) && size > length))
    return inferenceError(location, getOperationName(),
                          "expects a window from 1 to the size ", length,
                          " of axis ", axis, ", found ", size);
  if (step < 1)
    return inferenceError(location, getOperationName(),
                          "expects a step of at least 1, found ", step);
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(length))
    shape[axis] = (length - size) / step + 1;
  shape.push_back(size);
  types.push_back(plainType(shape, type));
  return success();
}

Layout SlidingWindowOp::getViewLayout(const StridedLayout &source) {
  StridedLayout view = source;
  int64_t axis = getAxis();
  view.sizes = llvm::to_vector(getResult().getType().getShape());
  view.strides[axis] = times(source.strides[axis], getStep());
  view.strides.push_back(source.strides[axis]);
  return view;
}
