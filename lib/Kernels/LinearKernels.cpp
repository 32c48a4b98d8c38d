//===- LinearKernels.cpp - linear layers in the registry --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A linear layer is a pointwise convolution: its rows are pixels, its columns
// channels, and a row-major matrix is channels-last.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitConv.h"
#include "memfmt/Kernels/KernelFamilies.h"
#include "memfmt/Kernels/KernelSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;
using kernels::ConvShape;
using kernels::TargetInfo;

/// (M, K) times (K, N).
static ConvShape getShape(int64_t m, int64_t k, int64_t n) {
  return {1, k, 1, m, n, 1, 1, 1, m, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 1};
}

/// A matrix as an image of one row, channels-last. A row or column of size 1
/// stays one, so that it is broadcast.
static kernels::TensorRef asImage(ImplicitLocOpBuilder &builder, Value matrix) {
  auto type = cast<MemRefType>(matrix.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> sizes = {1, 1, type.getDimSize(0), type.getDimSize(1)};
  int64_t row = strides[0] * type.getDimSize(0);
  SmallVector<int64_t> all = {row, row, strides[0], strides[1]};
  auto view = MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(builder.getContext(), offset, all));
  return {memref::ReinterpretCastOp::create(builder, view, matrix, offset,
                                            sizes, all),
          {0, 2, 3, 1}};
}

namespace {
class LinearKernel : public FormatKernel {
public:
  StringRef getName() const override { return "linear"; }

  bool accepts(Operation *op, const OperationFormats &formats,
               const TargetInfo &) const override {
    auto linear = dyn_cast<LinearOp>(op);
    if (!linear || !isStaticF32(linear.getResult().getType(), 2))
      return false;
    for (Value operand : op->getOperands()) {
      bool isBias = operand == linear.getBias();
      if (!isStaticF32(operand.getType(), isBias ? 1 : 2))
        return false;
    }
    return llvm::none_of(formats.operands, [](Attribute f) { return !!f; });
  }

  int64_t getCost(Operation *op, const OperationFormats &,
                  const TargetInfo &target) const override {
    auto linear = cast<LinearOp>(op);
    auto filter = linear.getFilter().getType().getShape();
    double bytes = 0;
    for (Value operand : op->getOperands())
      bytes += getTensorBytes(operand.getType());
    return getWorkCost(target,
                       2.0 * linear.getResult().getType().getDimSize(0) *
                           filter[0] * filter[1],
                       0.8, bytes);
  }

  FailureOr<SmallVector<Value>>
  select(Operation *op, ValueRange operands, ImplicitLocOpBuilder &builder,
         const TargetInfo &target) const override {
    auto linear = cast<LinearOp>(op);
    auto filter = linear.getFilter().getType();
    ConvShape shape = ::getShape(linear.getInput().getType().getDimSize(0),
                                 filter.getDimSize(1), filter.getDimSize(0));
    SmallVector<KernelInput> inputs = {
        {operands[0], {}},
        {packFilter(operands[1], getTile(shape, target), builder), {}}};
    if (linear.getBias())
      inputs.push_back({operands[2], {}});
    SmallVector<NamedAttribute> params = {builder.getNamedAttr(
        "columns", builder.getI64IntegerAttr(filter.getDimSize(0)))};
    return SmallVector<Value>{
        buildKernel(op, getName(), inputs, operands, params, builder)};
  }

  int64_t getNumTiles(KernelOp kernel,
                      const TargetInfo &target) const override {
    return kernels::getConvDirectTiles(getShape(kernel), target);
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    ConvShape shape = getShape(kernel);
    kernels::ConvTile tile = kernels::chooseConvTile(shape, target);
    KernelEpilogue epilogue(kernel, operands);
    for (unsigned i = 0, e = kernel.getEpilogueOperands().size(); i < e; ++i)
      epilogue.addTensor(asImage(
          builder,
          operands[kernel.getEpilogueOperands().getBeginOperandIndex() + i]));
    epilogue.joinRows(builder, tile.rows, tile.rowLength);
    Value bias = kernel.getInputs().size() > 2 ? operands[2] : Value();
    // (N / NR, K, NR) with the axes of a window between.
    auto packed = cast<MemRefType>(operands[1].getType()).getShape();
    SmallVector<int64_t> sizes = {1, packed[0], 1, 1, packed[1], packed[2]};
    int64_t block = packed[1] * packed[2];
    SmallVector<int64_t> strides = {packed[0] * block, block, block, block,
                                    packed[2],         1};
    auto type = MemRefType::get(
        sizes, builder.getF32Type(),
        StridedLayoutAttr::get(builder.getContext(), 0, strides));
    Value weights = memref::ReinterpretCastOp::create(
        builder, type, operands[1], 0, sizes, strides);
    kernels::emitConvDirect(
        builder, shape, target, asImage(builder, operands[0]), weights, bias,
        asImage(builder, operands.back()), lo, hi, epilogue);
    return success();
  }

private:
  static int64_t getTile(const ConvShape &shape, const TargetInfo &target) {
    return kernels::chooseConvTile(shape, target).vectors * target.lanes;
  }
  static ConvShape getShape(KernelOp kernel) {
    auto input = cast<ShapedType>(kernel.getInputs()[0].getType());
    auto columns = cast<IntegerAttr>(kernel.getParams().get("columns"));
    return ::getShape(input.getDimSize(0), input.getDimSize(1),
                      columns.getInt());
  }
  /// (N, K) to (N / tile, K, tile).
  static Value packFilter(Value filter, int64_t tile,
                          ImplicitLocOpBuilder &builder) {
    auto type = cast<RankedTensorType>(filter.getType());
    SmallVector<int64_t> shape = {
        int64_t(llvm::divideCeil(type.getDimSize(0), tile)), type.getDimSize(1),
        tile};
    Value dest = tensor::EmptyOp::create(builder, shape, type.getElementType());
    std::optional<Value> padding;
    if (type.getDimSize(0) % tile != 0)
      padding = arith::ConstantOp::create(
                    builder, builder.getZeroAttr(type.getElementType()))
                    .getResult();
    return linalg::PackOp::create(
               builder, filter, dest, ArrayRef<int64_t>{0},
               ArrayRef<OpFoldResult>{builder.getIndexAttr(tile)}, padding,
               ArrayRef<int64_t>{})
        .getResult();
  }
};
} // namespace

void memfmt::addLinearKernels(KernelRegistry &registry) {
  registry.add(std::make_unique<LinearKernel>());
}
