//===- PoolKernels.cpp - pooling in the registry ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitPool.h"
#include "memfmt/Kernels/KernelFamilies.h"
#include "memfmt/Kernels/KernelSupport.h"

#include "memfmt/IR/Format.h"

using namespace mlir;
using namespace memfmt;
using kernels::ConvShape;
using kernels::TargetInfo;

/// A pool is a convolution shape with one filter per channel.
static ConvShape getShape(ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                          ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                          ArrayRef<int64_t> dilations) {
  return {in[0],
          in[1],
          in[2],
          in[3],
          in[1],
          window[0],
          window[1],
          out[2],
          out[3],
          {strides[0], strides[1]},
          {low[0], low[1]},
          {high[0], high[1]},
          {dilations[0], dilations[1]},
          1};
}

namespace {
class PoolKernel : public FormatKernel {
public:
  StringRef getName() const override { return "pool"; }

  bool accepts(Operation *op, const OperationFormats &formats,
               const TargetInfo &) const override {
    auto pool = dyn_cast<PoolOp>(op);
    if (!pool || !isStaticF32(pool.getInput().getType(), 4) ||
        !isStaticF32(pool.getResult().getType(), 4))
      return false;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto type = cast<ShapedType>(operand.getType());
      bool full = index == 0 ||
                  type.getShape() == pool.getResult().getType().getShape();
      if (!isStaticF32(type, 4) ||
          formats.operands[index] != (full ? formats.results[0] : Attribute()))
        return false;
    }
    return isRowMajor(formats.results[0]) || isChannelsLast(formats.results[0]);
  }

  int64_t getCost(Operation *op, const OperationFormats &formats,
                  const TargetInfo &target) const override {
    auto pool = cast<PoolOp>(op);
    double window = 1;
    for (int64_t size : pool.getWindow())
      window *= size;
    double outputs = getTensorBytes(pool.getResult().getType()) / 4;
    double bytes = getTensorBytes(pool.getInput().getType()) + 4 * outputs;
    // One operation per element where lanes are full; scalar code otherwise.
    double efficiency = isChannelsLast(formats.results[0]) ? 0.2 : 0.05;
    return getWorkCost(target, outputs * window, efficiency, bytes);
  }

  FailureOr<SmallVector<Value>> select(Operation *op, ValueRange operands,
                                       ImplicitLocOpBuilder &builder,
                                       const TargetInfo &) const override {
    auto pool = cast<PoolOp>(op);
    SmallVector<NamedAttribute> params = {
        builder.getNamedAttr("kind", pool.getKindAttr()),
        builder.getNamedAttr("window", pool.getWindowAttr()),
        builder.getNamedAttr("strides", pool.getStridesAttr()),
        builder.getNamedAttr("pad_low", pool.getPadLowAttr()),
        builder.getNamedAttr("pad_high", pool.getPadHighAttr()),
        builder.getNamedAttr("dilations", pool.getDilationsAttr()),
        builder.getNamedAttr("exclude_pad",
                             builder.getBoolAttr(pool.getExcludePad()))};
    KernelInput input{operands[0], getPhysicalOrder(pool.getInput().getType())};
    return SmallVector<Value>{
        buildKernel(op, getName(), input, operands, params, builder)};
  }

  int64_t getNumTiles(KernelOp kernel, const TargetInfo &) const override {
    return kernels::getPoolTiles(getShape(kernel), isLast(kernel));
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    KernelEpilogue epilogue(kernel, operands);
    kernels::emitPool(builder, getShape(kernel), getReduction(kernel), target,
                      getTensorRef(kernel, operands, 0),
                      getTensorRef(kernel, operands, operands.size() - 1), lo,
                      hi, epilogue);
    return success();
  }

private:
  static ConvShape getShape(KernelOp kernel) {
    auto array = [&](StringRef name) {
      return cast<DenseI64ArrayAttr>(kernel.getParams().get(name)).asArrayRef();
    };
    return ::getShape(getLogicalSizes(kernel, 0),
                      getLogicalSizes(kernel, kernel->getNumOperands() - 1),
                      array("window"), array("strides"), array("pad_low"),
                      array("pad_high"), array("dilations"));
  }
  static bool isLast(KernelOp kernel) {
    return kernel.getOrder(kernel->getNumOperands() - 1).back() == 1;
  }
  static kernels::PoolReduction getReduction(KernelOp kernel) {
    DictionaryAttr params = kernel.getParams();
    switch (cast<PoolKindAttr>(params.get("kind")).getValue()) {
    case PoolKind::max:
      return kernels::PoolReduction::Max;
    case PoolKind::sum:
      return kernels::PoolReduction::Sum;
    case PoolKind::avg:
      break;
    }
    return cast<BoolAttr>(params.get("exclude_pad")).getValue()
               ? kernels::PoolReduction::AverageExcludingPad
               : kernels::PoolReduction::Average;
  }
};
} // namespace

void memfmt::addPoolKernels(KernelRegistry &registry) {
  registry.add(std::make_unique<PoolKernel>());
}
