//===- Raise.cpp - recognise network operations in linalg -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace memfmt {
#define GEN_PASS_DEF_RAISE
#include "memfmt/Raise/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

namespace {
struct Raise : memfmt::impl::RaiseBase<Raise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateElementwiseSimplifications(patterns);
    populateConvRecognisers(patterns);
    populatePoolRecognisers(patterns);
    populateAverageRecognisers(patterns);
    populatePadRecognisers(patterns);
    populatePermuteRecognisers(patterns);
    populateConcatRecognisers(patterns);
    populateGatherRecognisers(patterns);
    populateNormRecognisers(patterns);
    populateLinearRecognisers(patterns);
    // Reshapes around grouped convolutions cancel.
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    Counts before = count();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("raising does not converge");
      return signalPassFailure();
    }
    Counts after = count();
    numConvs += after.convs - before.convs;
    numPools += after.pools - before.pools;
    numNorms += after.norms - before.norms;
    numLinears += after.linears - before.linears;
  }

private:
  struct Counts {
    int64_t convs = 0, pools = 0, norms = 0, linears = 0;
  };
  Counts count() {
    Counts counts;
    getOperation().walk([&](ConvOp) { ++counts.convs; });
    getOperation().walk([&](PoolOp) { ++counts.pools; });
    getOperation().walk([&](BatchNormOp) { ++counts.norms; });
    getOperation().walk([&](LinearOp) { ++counts.linears; });
    return counts;
  }
};
} // namespace
