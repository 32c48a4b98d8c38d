//===- CostModel.cpp - prices of operations and conversions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/CostModel.h"

#include "memfmt/IR/Format.h"
#include "memfmt/Kernels/KernelSupport.h"

using namespace mlir;
using namespace memfmt;

const kernels::TargetInfo *memfmt::resolveTarget(Operation *op,
                                                 StringRef name) {
  if (const kernels::TargetInfo *target = kernels::lookupTarget(name))
    return target;
  InFlightDiagnostic diagnostic = op->emitError("unknown target \"")
                                  << name << "\", expects host";
  for (const kernels::TargetInfo &target : kernels::getTargets())
    diagnostic << ", " << target.name;
  return nullptr;
}

/// The type with every dynamic size replaced by 1.
static RankedTensorType withHints(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = 1;
  return RankedTensorType::get(shape, type.getElementType());
}

int64_t memfmt::getConversionCost(RankedTensorType from, RankedTensorType to,
                                  const kernels::TargetInfo &target) {
  if (areEquivalent(from, to))
    return 0;
  // Every byte is read and written, in blocks that use whole cache lines on one
  // side only: two thirds of the bandwidth.
  double bytes = 2 * getTensorBytes(withHints(from));
  return getWorkCost(target, 0, 1, bytes * 1.5);
}

std::optional<int64_t>
memfmt::getOperationCost(Operation *op, const OperationFormats &formats,
                         const kernels::TargetInfo &target) {
  auto &registry = KernelRegistry::get(op->getContext());
  if (auto best = registry.findCheapest(op, formats, target))
    return best->second;
  double bytes = 0;
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += getTensorBytes(withHints(tensor));
  auto interface = dyn_cast<FormatOpInterface>(op);
  // Scalar loops: some ten times slower than memory, and without the width or
  // the reuse of registers that arithmetic needs.
  constexpr double kScalarLoops = 10, kScalarEfficiency = 1.0 / 100;
  if (interface && isa<MaterializeOpInterface>(op))
    return getWorkCost(target, interface.getNumScalarOps(), kScalarEfficiency,
                       bytes *
                           (interface.isFormatAgnostic() ? 1 : kScalarLoops));
  auto isSet = [](Attribute format) { return !!format; };
  if (llvm::any_of(formats.operands, isSet) ||
      llvm::any_of(formats.results, isSet))
    return std::nullopt;
  return 0;
}
