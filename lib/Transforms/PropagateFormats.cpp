//===- PropagateFormats.cpp - infer a format for every tensor ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/FormatPasses.h"

#include "FormatWriter.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"

namespace memfmt {
#define GEN_PASS_DEF_PROPAGATEFORMATS
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

namespace {
struct PropagateFormats : memfmt::impl::PropagateFormatsBase<PropagateFormats> {
  using PropagateFormatsBase::PropagateFormatsBase;

  void runOnOperation() override {
    FormatPropagation analysis(policy == "torch"
                                   ? PropagationPolicy::Torch
                                   : PropagationPolicy::Symmetric);
    if (policy != "torch" && policy != "symmetric") {
      getOperation().emitError("expects policy `symmetric` or `torch`, found `")
          << policy << "`";
      return signalPassFailure();
    }
    if (failed(analysis.run(getOperation())))
      return signalPassFailure();
    FormatWriter writer(analysis, {policy == "torch", origins});
    writer.write(getOperation());
    numEncoded += writer.numEncoded;
    numLost += writer.numLost;
    answerQueries();
  }

private:
  void answerQueries();
};
} // namespace

/// Queries speak of the program as it is written; their answers are frozen
/// here. What the type does not decide (dynamic sizes, a strided view) stays.
void PropagateFormats::answerQueries() {
  getOperation().walk([&](Operation *op) {
    if (auto assertion = dyn_cast<AssertFormatOp>(op)) {
      RankedTensorType type = assertion.getInput().getType();
      if (isContiguousIn(type, assertion.getFormat()) == false) {
        assertion.emitOpError("asserts ")
            << assertion.getFormat() << ", but the value has type " << type
            << "; convert it with `memfmt.to_format` before";
        signalPassFailure();
      }
      assertion.replaceAllUsesWith(assertion.getInput());
      assertion.erase();
    } else if (auto query = dyn_cast<FormatQueryOpInterface>(op)) {
      std::optional<bool> answer = query.getAnswer();
      if (!answer)
        return;
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(
          arith::ConstantOp::create(builder, op->getLoc(),
                                    builder.getBoolAttr(*answer))
              .getResult());
      op->erase();
    }
  });
}
