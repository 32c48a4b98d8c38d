//===- Bufferize.cpp - physical tensors to buffers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ResultArguments.h"

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/Conversion/Passes.h"
#include "memfmt/IR/Format.h"

#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace memfmt {
#define GEN_PASS_DEF_BUFFERIZEKERNELS
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;
using bufferization::AnalysisState;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

namespace {
/// A kernel reads its inputs and overwrites its outputs.
struct KernelModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<KernelModel,
                                                             KernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<KernelOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto kernel = cast<KernelOp>(op);
    SmallVector<Value> buffers;
    for (Value operand : kernel->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        buffers.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState created(op->getLoc(), KernelOp::getOperationName(), buffers,
                           TypeRange(), op->getAttrs());
    created.addRegion()->takeBody(kernel.getEpilogueRegion());
    rewriter.create(created);
    SmallVector<Value> results(
        ValueRange(buffers).take_back(kernel.getOutputs().size()));
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

struct BufferizeKernels : memfmt::impl::BufferizeKernelsBase<BufferizeKernels> {
  void runOnOperation() override {
    if (failed(refuseEncodedTensors(getOperation())))
      return signalPassFailure();
    // What was not computed by then is computed at every run.
    recordPreparedConstants(getOperation(), "memfmt.unfolded");
    if (failed(decompose(getOperation())) || failed(bufferize(getOperation())))
      signalPassFailure();
  }

private:
  static LogicalResult refuseEncodedTensors(ModuleOp module);
  static LogicalResult decompose(ModuleOp module);
  static LogicalResult bufferize(ModuleOp module);
};
} // namespace

/// Bufferization upstream forgets encodings, and with them the meaning.
LogicalResult BufferizeKernels::refuseEncodedTensors(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && getFormat(tensor)) {
        op->emitOpError("reaches bufferization with the encoded type ")
            << tensor << "; run `memfmt-select-kernels` or "
            << "`memfmt-materialize` before";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Operations without a bufferization of their own become ones that have it.
LogicalResult BufferizeKernels::decompose(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError("decomposing concatenations does not converge");
  IRRewriter rewriter(module.getContext());
  WalkResult result = module.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto pack = dyn_cast<linalg::PackOp>(op))
      return WalkResult(linalg::lowerPack(rewriter, pack));
    if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
      return WalkResult(linalg::lowerUnPack(rewriter, unpack));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult copyBuffer(OpBuilder &builder, Location loc, Value from,
                                Value to) {
  // `memref.copy` of strided buffers calls a runtime library; this does not.
  linalg::CopyOp::create(builder, loc, from, to);
  return success();
}

/// What a loop carries lies in one buffer: the value for the next iteration is
/// copied there where it was made elsewhere.
static void pinLoopBuffers(ModuleOp module) {
  module.walk([](LoopLikeOpInterface loop) {
    std::optional<MutableArrayRef<OpOperand>> yielded =
        loop.getYieldedValuesMutable();
    if (!yielded)
      return;
    for (auto [value, argument] :
         llvm::zip(*yielded, loop.getRegionIterArgs())) {
      if (!isa<RankedTensorType>(argument.getType()) || value.get() == argument)
        continue;
      OpBuilder builder(value.getOwner());
      value.set(
          bufferization::MaterializeInDestinationOp::create(
              builder, loop.getLoc(), argument.getType(), value.get(), argument)
              .getResult());
    }
  });
}

LogicalResult BufferizeKernels::bufferize(ModuleOp module) {
  pinLoopBuffers(module);
  // The caller's inputs are never written.
  Builder builder(module.getContext());
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func.isPublic())
      continue;
    func->setAttr("memfmt.num_outputs",
                  builder.getI64IntegerAttr(func.getNumResults()));
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      if (isa<TensorType>(func.getArgument(i).getType()))
        func.setArgAttr(i, "bufferization.writable",
                        builder.getBoolAttr(false));
  }
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  options.bufferAlignment = 64;
  options.memCpyFn = copyBuffer;
  BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        failed(turnResultsIntoArguments(function)))
      return failure();
  return success();
}

void memfmt::registerKernelBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemFmtDialect *) {
    KernelOp::attachInterface<KernelModel>(*context);
  });
}
