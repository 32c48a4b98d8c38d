//===- SelectKernels.cpp - kernels for encoded operations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalConversion.h"

#include "memfmt/Conversion/Passes.h"
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
    nameOperations();
    auto &registry = KernelRegistry::get(&getContext());
    auto select = [&](Operation *op, ValueRange operands, OpBuilder &builder)
        -> FailureOr<std::optional<SmallVector<Value>>> {
      auto best =
          registry.findCheapest(op, OperationFormats::get(op), *info);
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
      signalPassFailure();
  }

private:
  void nameOperations();
};
} // namespace

/// Kernels keep the name of the operation that they carry out, for reports.
void SelectKernels::nameOperations() {
  int64_t number = 0;
  getOperation().walk([&](Operation *op) {
    if (!isa<FormatOpInterface, ToFormatOp>(op))
      return;
    Builder builder(&getContext());
    op->setDiscardableAttr("memfmt.operation",
                           builder.getStringAttr(op->getName().getStringRef()));
    op->setDiscardableAttr("memfmt.number", builder.getI64IntegerAttr(number++));
  });
}
