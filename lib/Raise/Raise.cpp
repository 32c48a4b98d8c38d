//===- Raise.cpp - recognise network operations in linalg -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Rewrite/PatternApplicator.h"
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
    populateConvTransposeRecognisers(patterns);
    populateShuffleRecognisers(patterns);
    populateConcatRecognisers(patterns);
    populateGatherRecognisers(patterns);
    populateNormRecognisers(patterns);
    populateLinearRecognisers(patterns);
    // Reshapes around grouped convolutions cancel.
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    FrozenRewritePatternSet frozen(std::move(patterns)),
        formulas = getFormulas(), activations = getActivations();
    Counts before = count();
    if (failed(writeOutElementwise())) {
      getOperation().emitError("raising does not converge");
      return signalPassFailure();
    }
    // Formulas first: the patterns take them apart. Again after the patterns,
    // which make formulas plain (constant operands).
    raiseFormulas(formulas);
    do {
      if (failed(applyPatternsGreedily(getOperation(), frozen))) {
        getOperation().emitError("raising does not converge");
        return signalPassFailure();
      }
    } while (raiseFormulas(formulas));
    // What the formulas of activations read before is cleared away.
    if (raiseFormulas(activations) &&
        failed(applyPatternsGreedily(getOperation(), frozen))) {
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
  FrozenRewritePatternSet getFormulas();
  FrozenRewritePatternSet getActivations();
  LogicalResult writeOutElementwise();
  bool raiseFormulas(const FrozenRewritePatternSet &patterns);

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

FrozenRewritePatternSet Raise::getFormulas() {
  RewritePatternSet patterns(&getContext());
  populateResizeRecognisers(patterns);
  populateSoftmaxRecognisers(patterns);
  populateStatisticNormRecognisers(patterns);
  return std::move(patterns);
}

FrozenRewritePatternSet Raise::getActivations() {
  RewritePatternSet patterns(&getContext());
  populateActivationRecognisers(patterns);
  return std::move(patterns);
}

/// Scalar operations that are written on whole tensors become linalg.
LogicalResult Raise::writeOutElementwise() {
  RewritePatternSet patterns(&getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(getOperation(), std::move(patterns));
}

/// The last operation of a formula first; what it leaves unread goes. Whether
/// there was a formula.
bool Raise::raiseFormulas(const FrozenRewritePatternSet &patterns) {
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  SmallVector<linalg::GenericOp> generics;
  // What stands in the body of another comes after it, so that it is visited
  // before: the other may take it along.
  getOperation().walk<WalkOrder::PreOrder>([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      generics.push_back(op);
  });
  PatternRewriter rewriter(&getContext());
  bool raised = false;
  for (linalg::GenericOp op : llvm::reverse(generics)) {
    rewriter.setInsertionPoint(op);
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
    else
      raised |= succeeded(applicator.matchAndRewrite(op, rewriter));
  }
  return raised;
}
