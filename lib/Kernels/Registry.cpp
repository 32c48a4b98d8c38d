//===- Registry.cpp - the kernels that a context knows ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/Registry.h"

#include "memfmt/IR/Format.h"
#include "memfmt/Kernels/KernelFamilies.h"

using namespace mlir;
using namespace memfmt;

static Attribute formatOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? getFormat(tensor) : Attribute();
}

OperationFormats OperationFormats::get(Operation *op) {
  OperationFormats formats;
  for (Value operand : op->getOperands())
    formats.operands.push_back(formatOf(operand.getType()));
  for (Value result : op->getResults())
    formats.results.push_back(formatOf(result.getType()));
  return formats;
}

OperationFormats OperationFormats::get(Operation *op,
                                       ArrayRef<Attribute> portFormats) {
  OperationFormats formats;
  formats.operands.resize(op->getNumOperands());
  formats.results.resize(op->getNumResults());
  auto interface = dyn_cast<FormatOpInterface>(op);
  if (!interface)
    return formats;
  for (auto [port, format] :
       llvm::zip_equal(interface.getFormatPorts(), portFormats)) {
    for (unsigned operand : port.operands)
      formats.operands[operand] = format;
    for (unsigned result : port.results)
      formats.results[result] = format;
  }
  return formats;
}

FormatKernel::~FormatKernel() = default;

KernelRegistry &KernelRegistry::get(MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<MemFmtDialect>();
  if (auto *registry = dialect->getRegisteredInterface<KernelRegistry>())
    return const_cast<KernelRegistry &>(*registry);
  return dialect->addInterface<KernelRegistry>();
}

void KernelRegistry::add(std::unique_ptr<FormatKernel> kernel) {
  kernels.push_back(std::move(kernel));
}

const FormatKernel *KernelRegistry::lookup(StringRef name) const {
  for (const auto &kernel : kernels)
    if (kernel->getName() == name)
      return kernel.get();
  return nullptr;
}

std::optional<std::pair<const FormatKernel *, int64_t>>
KernelRegistry::findCheapest(Operation *op, const OperationFormats &formats,
                             const kernels::TargetInfo &target) const {
  std::optional<std::pair<const FormatKernel *, int64_t>> best;
  for (const auto &kernel : kernels) {
    if (!kernel->accepts(op, formats, target))
      continue;
    int64_t cost = kernel->getCost(op, formats, target);
    if (!best || cost < best->second)
      best = {kernel.get(), cost};
  }
  return best;
}

void memfmt::registerKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemFmtDialect *dialect) {
    // The dialect is being loaded: ask it, not the context.
    auto &kernels = dialect->addInterface<KernelRegistry>();
    addConvKernels(kernels);
    addPoolKernels(kernels);
    addLinearKernels(kernels);
    addElementwiseKernels(kernels);
    addTransposeKernels(kernels);
  });
}
