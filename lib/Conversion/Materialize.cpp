//===- Materialize.cpp - hand-over to upstream linalg -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PhysicalConversion.h"

#include "memfmt/Conversion/Passes.h"

namespace memfmt {
#define GEN_PASS_DEF_MATERIALIZE
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// Removes the discardable attributes of the dialect: nothing of memfmt is
/// left.
static void stripAttributes(ModuleOp module) {
  module->walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (attribute.getName().strref().starts_with("memfmt."))
        op->removeDiscardableAttr(attribute.getName());
  });
}

namespace {
struct Materialize : memfmt::impl::MaterializeBase<Materialize> {
  void runOnOperation() override {
    // A copy is converted, so that a failure leaves the module as it was.
    OwningOpRef<ModuleOp> copy(getOperation().clone());
    auto none =
        [](Operation *, ValueRange,
           OpBuilder &) -> FailureOr<std::optional<SmallVector<Value>>> {
      return std::optional<SmallVector<Value>>();
    };
    if (failed(PhysicalConversion().run(*copy, none))) {
      // Half-converted values may still have readers.
      copy->walk([](Operation *op) { op->dropAllUses(); });
      return signalPassFailure();
    }
    stripAttributes(*copy);
    getOperation().getBodyRegion().takeBody(copy->getBodyRegion());
    getOperation()->setAttrs(copy->getOperation()->getAttrDictionary());
  }
};
} // namespace
