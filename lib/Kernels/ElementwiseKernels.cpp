//===- ElementwiseKernels.cpp - element-wise work and transposes -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/CostModel.h"
#include "memfmt/Kernels/EmitElementwise.h"
#include "memfmt/Kernels/KernelFamilies.h"
#include "memfmt/Kernels/KernelSupport.h"

#include "memfmt/IR/Format.h"
#include "memfmt/IR/ScalarBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memfmt;
using kernels::TargetInfo;

//===----------------------------------------------------------------------===//
// Element-wise linalg.generic
//===----------------------------------------------------------------------===//

namespace {
class ElementwiseKernel : public FormatKernel {
public:
  StringRef getName() const override { return "elementwise"; }

  bool accepts(Operation *op, const OperationFormats &formats,
               const TargetInfo &) const override {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !generic.hasPureTensorSemantics() ||
        generic.getNumDpsInits() != 1 || generic.getNumResults() != 1 ||
        generic.getNumParallelLoops() != generic.getNumLoops())
      return false;
    Block &body = *generic.getBody();
    if (!body.getArgument(body.getNumArguments() - 1).use_empty())
      return false; // Accumulates into its output.
    OpOperand *init = generic.getDpsInitOperand(0);
    if (!generic.getMatchingIndexingMap(init).isIdentity() ||
        !isStaticF32(op->getResult(0).getType(), generic.getNumLoops()) ||
        isBlocked(formats.results[0]))
      return false;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(input);
      if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
          !isStaticF32(input->get().getType(), map.getNumResults()) ||
          isBlocked(formats.operands[input->getOperandNumber()]))
        return false;
    }
    return isScalarBody(body);
  }

  int64_t getCost(Operation *op, const OperationFormats &,
                  const TargetInfo &target) const override {
    double bytes = getTensorBytes(op->getResult(0).getType());
    for (Value input : cast<linalg::GenericOp>(op).getInputs())
      bytes += getTensorBytes(input.getType());
    return getWorkCost(target, 0, 1, bytes);
  }

  FailureOr<SmallVector<Value>> select(Operation *op, ValueRange operands,
                                       ImplicitLocOpBuilder &builder,
                                       const TargetInfo &) const override {
    auto generic = cast<linalg::GenericOp>(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> outOrder = getPhysicalOrder(type);
    SmallVector<KernelInput> inputs;
    SmallVector<Attribute> dims;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      auto inputType = cast<RankedTensorType>(input->get().getType());
      AffineMap map = generic.getMatchingIndexingMap(input);
      SmallVector<int64_t> positions;
      for (int64_t axis : getPhysicalOrder(inputType)) {
        auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis));
        positions.push_back(dim ? llvm::find(outOrder, dim.getPosition()) -
                                      outOrder.begin()
                                : -1);
      }
      dims.push_back(builder.getDenseI64ArrayAttr(positions));
      inputs.push_back(
          {operands[input->getOperandNumber()], getPhysicalOrder(inputType)});
    }
    SmallVector<NamedAttribute> params = {
        builder.getNamedAttr("dims", builder.getArrayAttr(dims))};
    Value result =
        buildKernel(op, getName(), inputs, operands, params, builder);
    takeBody(generic, cast<KernelOp>(result.getDefiningOp()), builder);
    return SmallVector<Value>{result};
  }

  int64_t getNumTiles(KernelOp kernel, const TargetInfo &) const override {
    return kernels::getElementwiseTiles(
        cast<MemRefType>(kernel.getOutputs()[0].getType()), getDims(kernel));
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    SmallVector<kernels::ElementwiseInput> inputs;
    for (auto [index, dims] : llvm::enumerate(getDims(kernel)))
      inputs.push_back({operands[index], dims});
    Block &body = kernel.getEpilogueRegion().front();
    kernels::emitElementwise(builder, target, inputs, operands.back(), lo, hi,
                             [&](OpBuilder &b, Location, ValueRange elements) {
                               return cloneOnLanes(b, body, elements).front();
                             });
    return success();
  }

private:
  static bool isBlocked(Attribute format) {
    auto known = dyn_cast_or_null<FormatAttrInterface>(format);
    return known &&
           (!known.getInnerBlocks().empty() || isa<StridedAttr>(format));
  }
  static SmallVector<SmallVector<int64_t>> getDims(KernelOp kernel) {
    SmallVector<SmallVector<int64_t>> dims;
    for (Attribute map : cast<ArrayAttr>(kernel.getParams().get("dims")))
      dims.push_back(
          llvm::to_vector(cast<DenseI64ArrayAttr>(map).asArrayRef()));
    return dims;
  }
  /// The body of a generic as the region of a kernel, without the argument of
  /// the output.
  static void takeBody(linalg::GenericOp generic, KernelOp kernel,
                       OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Block *from = generic.getBody();
    Block *to = builder.createBlock(&kernel.getEpilogueRegion());
    IRMapping mapping;
    for (BlockArgument argument : from->getArguments().drop_back())
      mapping.map(argument,
                  to->addArgument(argument.getType(), argument.getLoc()));
    SmallVector<Value> results = cloneScalarBody(builder, *from, mapping);
    YieldOp::create(builder, generic.getLoc(), results[0]);
  }
};

//===----------------------------------------------------------------------===//
// Conversions between permutations
//===----------------------------------------------------------------------===//

class TransposeKernel : public FormatKernel {
public:
  StringRef getName() const override { return "transpose"; }

  bool accepts(Operation *op, const OperationFormats &formats,
               const TargetInfo &) const override {
    auto conversion = dyn_cast<ToFormatOp>(op);
    if (!conversion)
      return false;
    RankedTensorType type = conversion.getInput().getType();
    if (!isStaticF32(type, type.getRank()) || type.getRank() > 6 ||
        areEquivalent(type, conversion.getResult().getType()))
      return false;
    for (Attribute format : {formats.operands[0], formats.results[0]}) {
      auto named = dyn_cast_or_null<FormatAttr>(format);
      if (format && (!named || !named.getBlockAxes().empty()))
        return false;
    }
    return true;
  }

  int64_t getCost(Operation *op, const OperationFormats &formats,
                  const TargetInfo &target) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return getConversionCost(withFormat(type, formats.operands[0]),
                             withFormat(type, formats.results[0]), target);
  }

  FailureOr<SmallVector<Value>> select(Operation *op, ValueRange operands,
                                       ImplicitLocOpBuilder &builder,
                                       const TargetInfo &) const override {
    auto conversion = cast<ToFormatOp>(op);
    KernelInput input{operands[0],
                      getPhysicalOrder(conversion.getInput().getType())};
    return SmallVector<Value>{
        buildKernel(op, getName(), input, operands, {}, builder)};
  }

  int64_t getNumTiles(KernelOp kernel, const TargetInfo &) const override {
    return kernels::getTransposeTiles(
        cast<MemRefType>(kernel.getInputs()[0].getType()),
        cast<MemRefType>(kernel.getOutputs()[0].getType()),
        getPermutation(kernel));
  }

  LogicalResult lower(KernelOp kernel, ImplicitLocOpBuilder &builder,
                      ValueRange operands, Value lo, Value hi,
                      const TargetInfo &target) const override {
    kernels::emitTranspose(builder, target, operands[0], operands[1],
                           getPermutation(kernel), lo, hi);
    return success();
  }

private:
  /// Output dimension i is input dimension permutation[i].
  static SmallVector<int64_t> getPermutation(KernelOp kernel) {
    ArrayRef<int64_t> from = kernel.getOrder(0);
    return llvm::map_to_vector(kernel.getOrder(1), [&](int64_t axis) {
      return int64_t(llvm::find(from, axis) - from.begin());
    });
  }
};
} // namespace

void memfmt::addElementwiseKernels(KernelRegistry &registry) {
  registry.add(std::make_unique<ElementwiseKernel>());
}

void memfmt::addTransposeKernels(KernelRegistry &registry) {
  registry.add(std::make_unique<TransposeKernel>());
}
