//===- Passes.td - from the encoded stage to LLVM ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_CONVERSION_PASSES_TD
#define MEMFMT_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string", "\"host\"",
    "machine to generate code for: host, avx512, avx2, sse or neon">;

def Materialize : Pass<"memfmt-materialize", "::mlir::ModuleOp"> {
  let summary = "encoded tensors to upstream operations on physical tensors";
  let description = [{
    The hand-over to compilers with code generation of their own: every tensor
    becomes the dense tensor of its physical shape, every operation its reference
    lowering in upstream `linalg`, `tensor` and `arith` (named convolutions and
    pools where linalg has them), and nothing of memfmt is left. Encoded function
    arguments and results become physical tensors. An operation that has an encoded
    tensor and no physical form is an error, and nothing is rewritten then. Linear.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def SelectKernels : Pass<"memfmt-select-kernels", "::mlir::ModuleOp"> {
  let summary = "replace encoded operations by kernels on physical tensors";
  let description = [{
    Every operation gets the cheapest kernel of the registry that accepts it in
    the formats of its types; what no kernel accepts gets its reference lowering
    on physical tensors. Weights are packed by upstream operations that
    `memfmt-fold-constants` evaluates. Encoded function arguments become physical
    tensors; the declared types are kept in the function attribute `memfmt.abi`.
    Linear in the number of operations. Nothing is converted that the encoded
    program does not convert.
  }];
  let options = [TargetOption];
  let statistics = [
    Statistic<"numKernels", "kernels", "Operations that got a kernel">,
    Statistic<"numReference", "reference", "Operations with a reference lowering">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def BufferizeKernels : Pass<"memfmt-bufferize", "::mlir::ModuleOp"> {
  let summary = "bufferize physical tensors, results as output arguments";
  let description = [{
    One-shot bufferization over function boundaries with row-major buffers, then
    results become output arguments (`memfmt.num_outputs` says how many), written
    in place where possible. Refuses encoded tensors: they must have become
    physical before.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def PlanMemory : Pass<"memfmt-plan-memory", "::mlir::ModuleOp"> {
  let summary = "one arena planned from liveness instead of allocations";
  let description = [{
    Allocations become views of one arena argument at constant offsets, constants
    become views of one constants argument; nothing is allocated while the
    program runs. Placement is greedy, largest first; the function attributes
    `memfmt.arena_bytes` and `memfmt.arena_lower_bound` (the largest number of
    bytes live at once) tell what was reached. Quadratic in the number of
    allocations. Sizes must be static.
  }];
  let statistics = [Statistic<"arenaBytes", "arena-bytes", "Size of all arenas">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def OutlineKernels : Pass<"memfmt-lower-to-vector", "::mlir::ModuleOp"> {
  let summary = "lower kernels to vector code, one function per distinct kernel";
  let description = [{
    Each distinct bufferized `memfmt.kernel` is lowered by its registry entry to
    `scf` and `vector` code in a function of its own over a range of tiles; the
    kernel becomes a `memfmt.launch` of that function. Kernels that differ only
    in their buffers share a function.
  }];
  let options = [TargetOption];
  let statistics = [
    Statistic<"numFunctions", "functions", "Distinct kernel functions">,
    Statistic<"numLaunches", "launches", "Kernels launched">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::func::FuncDialect"];
}

def GenerateEntry : Pass<"memfmt-generate-entry", "::mlir::ModuleOp"> {
  let summary = "give a planned program its C interface";
  let description = [{
    Turns each planned function into a `memfmt_entry_fn` (context, inputs,
    outputs) as declared in `memfmt/Abi.h`, and each `memfmt.launch` into a
    call through the context. The caller has checked shapes and strides.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

#endif // MEMFMT_CONVERSION_PASSES_TD
