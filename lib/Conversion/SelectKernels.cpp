//===- SelectKernels.cpp - kernels for encoded operations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalConversion.h"

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/Conversion/Passes.h"
#include "memfmt/IR/Format.h"
#include "memfmt/Kernels/Registry.h"

#include "mlir/IR/BuiltinTypes.h"

namespace memfmt {
#define GEN_PASS_DEF_SELECTKERNELS
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// The declared types of arguments and results, for the boundary.
static void recordBoundary(func::FuncOp function) {
  function->setAttr("memfmt.abi", TypeAttr::get(function.getFunctionType()));
}

/// Results without elements: there is nothing to compute.
static std::optional<SmallVector<Value>> makeNothing(Operation *op,
                                                     OpBuilder &builder) {
  SmallVector<Value> results;
  if (!isa<MaterializeOpInterface>(op) || op->getNumResults() == 0)
    return std::nullopt;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() != 0)
      return std::nullopt;
    RankedTensorType physical = getPhysicalType(tensor);
    results.push_back(tensor::EmptyOp::create(
        builder, op->getLoc(), physical.getShape(), physical.getElementType()));
  }
  return results;
}

namespace {
struct SelectKernels : memfmt::impl::SelectKernelsBase<SelectKernels> {
  using SelectKernelsBase::SelectKernelsBase;

  void runOnOperation() override {
    const kernels::TargetInfo *info = resolveTarget(getOperation(), target);
    if (!info)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic())
        recordBoundary(function);
    describeOperations(*info);
    auto &registry = KernelRegistry::get(&getContext());
    auto select = [&](Operation *op, ValueRange operands, OpBuilder &builder)
        -> FailureOr<std::optional<SmallVector<Value>>> {
      if (std::optional<SmallVector<Value>> nothing = makeNothing(op, builder))
        return nothing;
      auto best = registry.findCheapest(op, OperationFormats::get(op), *info);
      if (!best) {
        if (isa<MaterializeOpInterface>(op) && op->getNumResults())
          ++numReference;
        return std::optional<SmallVector<Value>>();
      }
      ++numKernels;
      ImplicitLocOpBuilder b(op->getLoc(), builder);
      FailureOr<SmallVector<Value>> results =
          best->first->select(op, operands, b, *info);
      if (failed(results))
        return failure();
      return std::optional<SmallVector<Value>>(std::move(*results));
    };
    if (failed(PhysicalConversion().run(getOperation(), select)))
      return signalPassFailure();
    recordPreparedConstants(getOperation(), "memfmt.folded");
  }

private:
  void describeOperations(const kernels::TargetInfo &info);
};
} // namespace

/// The format of the result, and before it that of the first operand of a port
/// if it is another.
static std::string describeFormats(Operation *op) {
  if (op->getNumResults() != 1)
    return "";
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return "";
  std::string text = describeFormat(result);
  if (op->getNumOperands())
    if (auto first = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
        first && !areEquivalent(first, withFormat(first, getFormat(result))))
      text = describeFormat(first) + " to " + text;
  return text;
}

/// Kernels keep the name, formats and price of the operation that they carry
/// out, for reports.
void SelectKernels::describeOperations(const kernels::TargetInfo &info) {
  int64_t number = 0;
  Builder builder(&getContext());
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto conversion = dyn_cast<ToFormatOp>(op);
    if (!conversion && !isa<FormatOpInterface>(op))
      return WalkResult::advance();
    int64_t cost =
        conversion
            ? getConversionCost(conversion.getInput().getType(),
                                conversion.getResult().getType(), info)
            : getOperationCost(op, OperationFormats::get(op), info).value_or(0);
    op->setDiscardableAttr("memfmt.operation", op->getName().getIdentifier());
    op->setDiscardableAttr("memfmt.number",
                           builder.getI64IntegerAttr(number++));
    op->setDiscardableAttr("memfmt.format",
                           builder.getStringAttr(describeFormats(op)));
    op->setDiscardableAttr("memfmt.predicted_ps",
                           builder.getI64IntegerAttr(cost));
    return WalkResult::skip();
  });
}
