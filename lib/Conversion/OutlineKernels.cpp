//===- OutlineKernels.cpp - one function per distinct kernel ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Conversion/Passes.h"
#include "memfmt/Kernels/Pointers.h"
#include "memfmt/Kernels/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

namespace memfmt {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// Kernels with equal keys have the same code: everything but the operands.
static std::string getKey(KernelOp kernel) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << kernel->getAttrDictionary();
  for (Value operand : kernel->getOperands())
    os << operand.getType();
  for (Block &block : kernel.getEpilogueRegion())
    block.print(os);
  return key;
}

/// A symbol from the name of a kernel: letters, digits and underscores.
static std::string getSymbol(StringRef kernel, unsigned number) {
  std::string symbol = "memfmt_";
  for (char c : kernel)
    symbol += llvm::isAlnum(c) ? c : '_';
  return symbol + "_" + std::to_string(number);
}

namespace {
struct OutlineKernels : memfmt::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    const kernels::TargetInfo *info = resolveTarget(getOperation(), target);
    if (!info)
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp kernel : kernels)
      if (failed(outline(kernel, *info)))
        return signalPassFailure();
  }

private:
  LogicalResult outline(KernelOp kernel, const kernels::TargetInfo &info);
  FailureOr<func::FuncOp> createFunction(KernelOp kernel,
                                         const FormatKernel &implementation,
                                         const kernels::TargetInfo &info);

  llvm::StringMap<func::FuncOp> functions;
  int64_t nextLaunch = 0;
};
} // namespace

LogicalResult OutlineKernels::outline(KernelOp kernel,
                                      const kernels::TargetInfo &info) {
  const FormatKernel *implementation =
      KernelRegistry::get(&getContext()).lookup(kernel.getKernel());
  if (!implementation)
    return kernel.emitOpError("names a kernel that is not registered: \"")
           << kernel.getKernel() << "\"";
  for (Value operand : kernel->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return kernel.emitOpError("expects buffers of static shape, found ")
             << operand.getType() << "; run bufferization before "
             << "`memfmt-outline-kernels`";
  }
  func::FuncOp &function = functions[getKey(kernel)];
  if (!function) {
    FailureOr<func::FuncOp> created =
        createFunction(kernel, *implementation, info);
    if (failed(created))
      return failure();
    function = *created;
    ++numFunctions;
  }
  OpBuilder builder(kernel);
  auto launch = LaunchOp::create(
      builder, kernel.getLoc(), FlatSymbolRefAttr::get(function),
      kernel->getOperands(),
      builder.getI64IntegerAttr(implementation->getNumTiles(kernel, info)),
      builder.getI64IntegerAttr(nextLaunch++));
  // Names for profiles and reports travel with the launch.
  launch->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  launch->setAttr("memfmt.kernel_name", kernel.getKernelAttr());
  kernel.erase();
  ++numLaunches;
  return success();
}

FailureOr<func::FuncOp>
OutlineKernels::createFunction(KernelOp kernel,
                               const FormatKernel &implementation,
                               const kernels::TargetInfo &info) {
  ImplicitLocOpBuilder builder(kernel.getLoc(), &getContext());
  builder.setInsertionPointToEnd(getOperation().getBody());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = builder.getI64Type();
  auto function = func::FuncOp::create(
      builder, getSymbol(kernel.getKernel(), functions.size() - 1),
      builder.getFunctionType({pointer, i64, i64}, {}));
  // Not private: threads call it by address, profilers by name.
  function->setAttr("memfmt.kernel", kernel.getKernelAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());

  SmallVector<Value> buffers;
  for (auto [index, operand] : llvm::enumerate(kernel->getOperands())) {
    Value data = loadAt(builder, function.getArgument(0), 8 * index, pointer);
    // The pointer already includes the offset.
    auto type = cast<MemRefType>(operand.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    if (offset != 0)
      type = MemRefType::get(type.getShape(), type.getElementType(),
                             StridedLayoutAttr::get(&getContext(), 0, strides),
                             type.getMemorySpace());
    buffers.push_back(bufferFromPointer(builder, data, type));
  }
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
  };
  Value lo = toIndex(function.getArgument(1)),
        hi = toIndex(function.getArgument(2));
  if (failed(implementation.lower(kernel, builder, buffers, lo, hi, info)))
    return failure();
  func::ReturnOp::create(builder);
  return function;
}
