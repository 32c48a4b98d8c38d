//===- KernelSupport.cpp - what kernel families share -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/KernelSupport.h"

#include "memfmt/IR/Format.h"
#include "memfmt/Kernels/EmitConv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace memfmt;

//===----------------------------------------------------------------------===//
// Prices and types
//===----------------------------------------------------------------------===//

int64_t memfmt::getWorkCost(const kernels::TargetInfo &target, double flops,
                            double efficiency, double bytes) {
  // 1 GFLOP/s is one operation in 1000 ps, likewise for GB/s.
  double arithmetic = flops * 1000.0 / (target.peakGflops * efficiency);
  double traffic = bytes * 1000.0 / target.bandwidthGBs;
  double cost = std::max({arithmetic, traffic, 1.0});
  return static_cast<int64_t>(std::min(cost, 1e17));
}

double memfmt::getTensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return 0;
  double bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  for (int64_t size : tensor.getShape())
    bytes *= static_cast<double>(size);
  return bytes;
}

bool memfmt::isStaticF32(Type type, int64_t rank) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() == rank &&
         tensor.getElementType().isF32() && tensor.getNumElements() > 0;
}

bool memfmt::isChannelsLast(Attribute format) {
  return format && format == getChannelsLast(format.getContext());
}

//===----------------------------------------------------------------------===//
// Building and reading kernels
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> identityOrder(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

Value memfmt::buildKernel(Operation *op, StringRef name,
                          ArrayRef<KernelInput> inputs,
                          ValueRange physicalOperands,
                          ArrayRef<NamedAttribute> params,
                          ImplicitLocOpBuilder &builder) {
  SmallVector<Value> values, epilogue;
  SmallVector<Attribute> orders;
  for (const KernelInput &input : inputs) {
    values.push_back(input.value);
    SmallVector<int64_t> order = input.order;
    if (order.empty())
      order = identityOrder(
          cast<RankedTensorType>(input.value.getType()).getRank());
    orders.push_back(builder.getDenseI64ArrayAttr(order));
  }
  auto fused = dyn_cast<EpilogueOpInterface>(op);
  if (fused) {
    OperandRange operands = fused.getEpilogueOperands();
    for (unsigned i = 0, e = operands.size(); i < e; ++i) {
      unsigned index = operands.getBeginOperandIndex() + i;
      epilogue.push_back(physicalOperands[index]);
      orders.push_back(builder.getDenseI64ArrayAttr(
          getPhysicalOrder(cast<RankedTensorType>(operands[i].getType()))));
    }
  }
  auto encoded = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType type = getPhysicalType(encoded);
  Value output =
      tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  orders.push_back(builder.getDenseI64ArrayAttr(getPhysicalOrder(encoded)));
  auto kernel = KernelOp::create(
      builder, TypeRange{type}, builder.getStringAttr(name), values, epilogue,
      ValueRange{output}, builder.getArrayAttr(orders),
      builder.getDictionaryAttr(params));
  if (fused) {
    IRMapping mapping;
    fused.getEpilogueRegion().cloneInto(&kernel.getEpilogueRegion(), mapping);
  }
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return kernel.getResults().front();
}

kernels::TensorRef memfmt::getTensorRef(KernelOp kernel, ValueRange operands,
                                        unsigned index) {
  kernels::TensorRef ref;
  ref.memref = operands[index];
  for (auto [position, axis] : llvm::enumerate(kernel.getOrder(index)))
    ref.order[position] = static_cast<unsigned>(axis);
  return ref;
}

SmallVector<int64_t> memfmt::getLogicalSizes(KernelOp kernel, unsigned index) {
  auto type = cast<ShapedType>(kernel->getOperand(index).getType());
  SmallVector<int64_t> sizes(type.getRank());
  for (auto [position, axis] : llvm::enumerate(kernel.getOrder(index)))
    sizes[axis] = type.getDimSize(position);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// `type`, or a vector of it with the shape of `like`.
static Type liftType(Type type, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), type, vector.getScalableDims());
  return type;
}

SmallVector<Value> memfmt::cloneOnLanes(OpBuilder &builder, Block &block,
                                        ValueRange lanes) {
  IRMapping mapping;
  Type like = lanes.front().getType();
  for (auto [argument, value] : llvm::zip(block.getArguments(), lanes))
    mapping.map(argument, value);
  for (Operation &op : block.without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    if (!isa<VectorType>(like))
      continue;
    if (isa<arith::ConstantOp>(op)) {
      // Constants stay scalar and are broadcast.
      Value splat = vector::BroadcastOp::create(
          builder, op.getLoc(), liftType(op.getResult(0).getType(), like),
          clone->getResult(0));
      mapping.map(op.getResult(0), splat);
      continue;
    }
    for (OpResult result : clone->getResults())
      result.setType(liftType(result.getType(), like));
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

KernelEpilogue::KernelEpilogue(KernelOp kernel, ValueRange operands)
    : kernel(kernel) {
  OperandRange epilogue = kernel.getEpilogueOperands();
  if (kernel.getOutputs().empty() ||
      cast<ShapedType>(kernel.getOutputs().front().getType()).getRank() != 4)
    return;
  for (unsigned i = 0, e = epilogue.size(); i < e; ++i)
    tensors.push_back(
        getTensorRef(kernel, operands, epilogue.getBeginOperandIndex() + i));
}

void KernelEpilogue::joinRows(ImplicitLocOpBuilder &builder, int64_t rows,
                              int64_t rowLength) {
  for (kernels::TensorRef &tensor : tensors)
    if (tensor.size(2) * tensor.size(3) != 1)
      tensor = kernels::joinRows(builder, tensor, rows, rowLength);
}

Value KernelEpilogue::operator()(OpBuilder &builder, Location loc, Value acc,
                                 ArrayRef<Value> index, unsigned laneAxis) {
  Region &region = kernel.getEpilogueRegion();
  if (region.empty())
    return acc;
  SmallVector<Value> lanes = {acc};
  int64_t length = isa<VectorType>(acc.getType())
                       ? cast<VectorType>(acc.getType()).getNumElements()
                       : 0;
  for (const kernels::TensorRef &tensor : tensors)
    lanes.push_back(
        kernels::loadLanes(builder, loc, tensor, index, laneAxis, length));
  return cloneOnLanes(builder, region.front(), lanes).front();
}
