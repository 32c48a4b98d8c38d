//===- ConvKernels.cpp - convolutions in the registry -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitConv.h"
#include "memfmt/Kernels/KernelFamilies.h"
#include "memfmt/Kernels/KernelSupport.h"

#include "memfmt/IR/Format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memfmt;
using kernels::ConvShape;
using kernels::TargetInfo;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of a convolution, from `memfmt.conv` or from the parameters
/// of its kernel.
struct ConvAttributes {
  ArrayRef<int64_t> strides, padLow, padHigh, dilations;
  int64_t groups;
};
} // namespace

static ConvShape getShape(ArrayRef<int64_t> input, ArrayRef<int64_t> result,
                          ArrayRef<int64_t> window, const ConvAttributes &a) {
  ConvShape s;
  s.n = input[0], s.c = input[1], s.h = input[2], s.w = input[3];
  s.k = result[1], s.oh = result[2], s.ow = result[3];
  s.kh = window[0], s.kw = window[1];
  for (int i : {0, 1}) {
    s.stride[i] = a.strides[i];
    s.padLow[i] = a.padLow[i];
    s.padHigh[i] = a.padHigh[i];
    s.dilation[i] = a.dilations[i];
  }
  s.groups = a.groups;
  return s;
}

static ConvShape getShape(ConvOp conv) {
  return getShape(conv.getInput().getType().getShape(),
                  conv.getResult().getType().getShape(),
                  conv.getFilter().getType().getShape().drop_front(2),
                  {conv.getStrides(), conv.getPadLow(), conv.getPadHigh(),
                   conv.getDilations(),
                   static_cast<int64_t>(conv.getGroups())});
}

static ConvShape getShape(KernelOp kernel) {
  DictionaryAttr params = kernel.getParams();
  auto array = [&](StringRef name) {
    return cast<DenseI64ArrayAttr>(params.get(name)).asArrayRef();
  };
  return getShape(
      getLogicalSizes(kernel, 0),
      getLogicalSizes(kernel, kernel->getNumOperands() - 1), array("window"),
      {array("strides"), array("pad_low"), array("pad_high"),
       array("dilations"), cast<IntegerAttr>(params.get("groups")).getInt()});
}

static SmallVector<NamedAttribute> getParams(ConvOp conv, Builder &builder) {
  auto window = conv.getFilter().getType().getShape().drop_front(2);
  return {builder.getNamedAttr("window", builder.getDenseI64ArrayAttr(window)),
          builder.getNamedAttr("strides", conv.getStridesAttr()),
          builder.getNamedAttr("pad_low", conv.getPadLowAttr()),
          builder.getNamedAttr("pad_high", conv.getPadHighAttr()),
          builder.getNamedAttr("dilations", conv.getDilationsAttr()),
          builder.getNamedAttr("groups", conv.getGroupsAttr())};
}

static double getFlops(const ConvShape &s) {
  return 2.0 * s.n * s.k * s.oh * s.ow * (double(s.c) / s.groups) * s.kh * s.kw;
}

static double getBytes(ConvOp conv) {
  double bytes = 0;
  for (Value value : conv->getOperands())
    bytes += getTensorBytes(value.getType());
  return bytes + getTensorBytes(conv.getResult().getType());
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

namespace {
/// What the convolution kernels share: f32 of rank 4, row-major filters,
/// packing by `linalg.pack`, one output, an epilogue.
class ConvKernel : public FormatKernel {
public:
  bool accepts(Operation *op, const OperationFormats &formats,
               const TargetInfo &target) const override {
    auto conv = dyn_cast<ConvOp>(op);
    if (!conv)
      return false;
    for (Value value : {Value(conv.getInput()), Value(conv.getFilter()),
                        Value(conv.getResult())})
      if (!isStaticF32(value.getType(), 4))
        return false;
    // Epilogue operands of full shape come in the format of the result, the
    // others are row-major.
    for (auto [index, operand] : llvm::enumerate(conv.getEpilogueOperands())) {
      unsigned position =
          conv.getEpilogueOperands().getBeginOperandIndex() + index;
      bool full = cast<ShapedType>(operand.getType()).getShape() ==
                  conv.getResult().getType().getShape();
      if (!isStaticF32(operand.getType(), 4) ||
          formats.operands[position] !=
              (full ? formats.results[0] : Attribute()))
        return false;
      // Joined rows need both spatial axes, or neither.
      auto sizes = cast<ShapedType>(operand.getType()).getShape();
      auto result = conv.getResult().getType().getShape();
      if (!full && (sizes[2] != 1 || sizes[3] != 1) &&
          (sizes[2] != result[2] || sizes[3] != result[3]))
        return false;
    }
    return !formats.operands[1] &&
           acceptsFormats(formats.operands[0], formats.results[0]) &&
           acceptsShape(getShape(conv), conv.isDepthwise(), target);
  }

  int64_t getCost(Operation *op, const OperationFormats &formats,
                  const TargetInfo &target) const override {
    auto conv = cast<ConvOp>(op);
    ConvShape shape = getShape(conv);
    return getWorkCost(target, getFlops(shape),
                       getEfficiency(shape, formats, target), getBytes(conv));
  }

  FailureOr<SmallVector<Value>>
  select(Operation *op, ValueRange operands, ImplicitLocOpBuilder &builder,
         const TargetInfo &target) const override {
    auto conv = cast<ConvOp>(op);
    ConvShape shape = getShape(conv);
    SmallVector<KernelInput> inputs = {
        {operands[0], getPhysicalOrder(conv.getInput().getType())},
        {packFilter(operands[1], shape, builder, target), {}}};
    SmallVector<NamedAttribute> params = getParams(conv, builder);
    if (conv.getBias())
      inputs.push_back({operands[2], {}});
    return SmallVector<Value>{
        buildKernel(op, getName(), inputs, operands, params, builder)};
  }

protected:
  virtual bool acceptsFormats(Attribute input, Attribute result) const = 0;
  virtual bool acceptsShape(const ConvShape &shape, bool depthwise,
                            const TargetInfo &target) const = 0;
  /// Fraction of the FMA peak with data in cache.
  virtual double getEfficiency(const ConvShape &shape,
                               const OperationFormats &formats,
                               const TargetInfo &target) const = 0;
  /// The filter (K, C / groups, KH, KW) in the order that the kernel reads.
  virtual Value packFilter(Value filter, const ConvShape &shape,
                           ImplicitLocOpBuilder &builder,
                           const TargetInfo &target) const = 0;

  static Value getBias(KernelOp kernel, ValueRange operands) {
    return kernel.getInputs().size() > 2 ? operands[2] : Value();
  }
};
} // namespace

/// `linalg.pack` of axis `axis` into inner tiles of `tile`, zero-padded, other
/// axes in the order `outer`.
static Value pack(ImplicitLocOpBuilder &builder, Value source, int64_t axis,
                  int64_t tile, ArrayRef<int64_t> outer) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape;
  for (int64_t i : outer)
    shape.push_back(i == axis ? llvm::divideCeil(type.getDimSize(i), tile)
                              : type.getDimSize(i));
  shape.push_back(tile);
  Value dest = tensor::EmptyOp::create(builder, shape, type.getElementType());
  std::optional<Value> padding;
  if (type.getDimSize(axis) % tile != 0)
    padding = arith::ConstantOp::create(
                  builder, builder.getZeroAttr(type.getElementType()))
                  .getResult();
  return linalg::PackOp::create(
             builder, source, dest, ArrayRef<int64_t>{axis},
             ArrayRef<OpFoldResult>{builder.getIndexAttr(tile)}, padding, outer)
      .getResult();
}

/// Splits the filters of a grouped convolution: (K, ...) to (groups, K /
/// groups,
/// ...).
static Value splitGroups(ImplicitLocOpBuilder &builder, Value filter,
                         int64_t groups) {
  auto type = cast<RankedTensorType>(filter.getType());
  SmallVector<int64_t> shape = {groups, type.getDimSize(0) / groups};
  llvm::append_range(shape, type.getShape().drop_front());
  SmallVector<ReassociationIndices> reassociation = {{0, 1}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    reassociation.push_back({i + 1});
  return tensor::ExpandShapeOp::create(
      builder, RankedTensorType::get(shape, type.getElementType()), filter,
      reassociation);
}

/// Splits into groups and packs blocks of `tile` filters innermost, the other
/// axes (group, block, then `rest`) in the order given.
static Value packGroups(ImplicitLocOpBuilder &builder, Value filter,
                        const ConvShape &shape, int64_t tile,
                        ArrayRef<int64_t> order) {
  return pack(builder, splitGroups(builder, filter, shape.groups), /*axis=*/1,
              tile, order);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Writes channels-last, reads channels-last or contiguous: the elements of the
/// input are broadcast one by one.
class ConvDirect : public ConvKernel {
public:
  StringRef getName() const override { return "conv.direct"; }

  int64_t getNumTiles(KernelOp kernel,
                      const TargetInfo &target) const override {
    return kernels::getConvDirectTiles(getShape(kernel), target);
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    ConvShape shape = getShape(kernel);
    KernelEpilogue epilogue(kernel, operands);
    if (shape.isPointwise()) {
      kernels::ConvTile tile = kernels::chooseConvTile(shape, target);
      epilogue.joinRows(builder, tile.rows, tile.rowLength);
    }
    kernels::emitConvDirect(
        builder, shape, target, getTensorRef(kernel, operands, 0), operands[1],
        getBias(kernel, operands),
        getTensorRef(kernel, operands, operands.size() - 1), lo, hi, epilogue);
    return success();
  }

protected:
  bool acceptsFormats(Attribute input, Attribute result) const override {
    return isChannelsLast(result) &&
           (isChannelsLast(input) || isRowMajor(input));
  }
  bool acceptsShape(const ConvShape &, bool depthwise,
                    const TargetInfo &) const override {
    return !depthwise;
  }
  double getEfficiency(const ConvShape &shape, const OperationFormats &formats,
                       const TargetInfo &) const override {
    // Contiguous inputs are read with a large stride between channels: fine for
    // the few channels of an image, slow for many.
    double efficiency =
        shape.channelsPerGroup() * shape.kh * shape.kw < 32 ? 0.7 : 0.9;
    if (isRowMajor(formats.operands[0]) && shape.c > 8 && shape.h * shape.w > 1)
      efficiency *= 0.4;
    return efficiency;
  }
  Value packFilter(Value filter, const ConvShape &shape,
                   ImplicitLocOpBuilder &builder,
                   const TargetInfo &target) const override {
    int64_t vectors = kernels::chooseConvTile(shape, target).vectors;
    return packGroups(builder, filter, shape, vectors * target.lanes,
                      {0, 1, 3, 4, 2});
  }
};

/// One filter per channel, channels-last.
class ConvDepthwise : public ConvKernel {
public:
  StringRef getName() const override { return "conv.depthwise"; }

  int64_t getNumTiles(KernelOp kernel, const TargetInfo &) const override {
    return kernels::getDepthwiseTiles(getShape(kernel));
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    KernelEpilogue epilogue(kernel, operands);
    kernels::emitDepthwise(
        builder, getShape(kernel), target, getTensorRef(kernel, operands, 0),
        operands[1], getBias(kernel, operands),
        getTensorRef(kernel, operands, operands.size() - 1), lo, hi, epilogue);
    return success();
  }

protected:
  bool acceptsFormats(Attribute input, Attribute result) const override {
    return isChannelsLast(result) && isChannelsLast(input);
  }
  bool acceptsShape(const ConvShape &, bool depthwise,
                    const TargetInfo &) const override {
    return depthwise;
  }
  double getEfficiency(const ConvShape &, const OperationFormats &,
                       const TargetInfo &) const override {
    return 0.45;
  }
  /// (K, 1, KH, KW) to (KH, KW, K): one inner tile of all channels.
  Value packFilter(Value filter, const ConvShape &shape,
                   ImplicitLocOpBuilder &builder,
                   const TargetInfo &) const override {
    Type element = cast<ShapedType>(filter.getType()).getElementType();
    Value flat = tensor::CollapseShapeOp::create(
        builder, filter, SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
    Value empty = tensor::EmptyOp::create(
        builder, ArrayRef<int64_t>{shape.kh, shape.kw, shape.k}, element);
    return linalg::TransposeOp::create(builder, flat, empty,
                                       ArrayRef<int64_t>{1, 2, 0})
        ->getResult(0);
  }
};

/// Contiguous in and out, lanes along the width; dense, grouped and depthwise.
class ConvContiguous : public ConvKernel {
public:
  StringRef getName() const override { return "conv.contiguous"; }

  int64_t getNumTiles(KernelOp kernel,
                      const TargetInfo &target) const override {
    return kernels::getConvContiguousTiles(getShape(kernel), target);
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    ConvShape shape = getShape(kernel);
    KernelEpilogue epilogue(kernel, operands);
    if (shape.isPointwise())
      epilogue.joinRows(builder, 1, shape.oh * shape.ow);
    kernels::emitConvContiguous(
        builder, shape, target, getTensorRef(kernel, operands, 0), operands[1],
        getBias(kernel, operands),
        getTensorRef(kernel, operands, operands.size() - 1), lo, hi, epilogue);
    return success();
  }

protected:
  bool acceptsFormats(Attribute input, Attribute result) const override {
    return isRowMajor(input) && isRowMajor(result);
  }
  bool acceptsShape(const ConvShape &, bool,
                    const TargetInfo &) const override {
    return true;
  }
  double getEfficiency(const ConvShape &shape, const OperationFormats &,
                       const TargetInfo &target) const override {
    if (shape.filtersPerGroup() == 1)
      return 0.3;
    // A row that does not fill its vectors wastes the rest.
    int64_t row = shape.isPointwise() ? shape.oh * shape.ow : shape.ow;
    double used =
        double(row) / (llvm::divideCeil(row, target.lanes) * target.lanes);
    return (shape.stride[1] == 1   ? 0.75
            : shape.stride[1] == 2 ? 0.5
                                   : 0.2) *
           used;
  }
  Value packFilter(Value filter, const ConvShape &shape,
                   ImplicitLocOpBuilder &builder,
                   const TargetInfo &target) const override {
    return packGroups(builder, filter, shape,
                      kernels::getContiguousFilterTile(shape, target),
                      {0, 1, 2, 3, 4});
  }
};
} // namespace

void memfmt::addConvKernels(KernelRegistry &registry) {
  registry.add(std::make_unique<ConvDirect>());
  registry.add(std::make_unique<ConvDepthwise>());
  registry.add(std::make_unique<ConvContiguous>());
}
