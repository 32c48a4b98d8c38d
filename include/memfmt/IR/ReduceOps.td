//===- ReduceOps.td - reductions and products ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_REDUCEOPS_TD
#define MEMFMT_IR_REDUCEOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_ReduceKind : I32EnumAttr<"ReduceKind", "what a reduction computes", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"prod", 2>,
    I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"argmax", 5>,
    I32EnumAttrCase<"argmin", 6>, I32EnumAttrCase<"any", 7>, I32EnumAttrCase<"all", 8>,
    I32EnumAttrCase<"var", 9>, I32EnumAttrCase<"std", 10>, I32EnumAttrCase<"logsumexp", 11>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_ReduceKindAttr : EnumAttr<MemFmt_Dialect, MemFmt_ReduceKind, "reduce_kind">;

def MemFmt_ReduceOp : MemFmt_PortedOp<"reduce"> {
  let summary = "one value for all elements along axes";
  let description = [{
    Over `axes`, or over all of them where that is empty. Reduced axes disappear, or have
    size 1 with `keep_axes`. `argmax` and `argmin` (i64) give the first place in the
    row-major order of the reduced axes; `any` and `all` give i1; `var` and `std` are
    unbiased. The result is row-major, as in PyTorch; the input may have any format.
    ```mlir
    %y = memfmt.reduce mean %x {axes = array<i64: 2, 3>, keep_axes}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>
    ```
  }];
  let arguments = (ins MemFmt_ReduceKindAttr:$kind, AnyRankedTensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keep_axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_MatmulOp : MemFmt_InferredOp<"matmul"> {
  let summary = "matrix product over the last two axes";
  let description = [{
    (..., M, K) times (..., K, N), or (..., N, K) with `transpose_b`; leading axes broadcast.
    A linear layer over the last axis is `matmul` with `transpose_b` and the weight
    matrix (N, K). All tensors are row-major.
    ```mlir
    %y = memfmt.matmul %a, %b {transpose_b} : (tensor<2x3x4x5xf32>, tensor<7x5xf32>) -> tensor<2x3x4x7xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, UnitAttr:$transpose_b);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

#endif // MEMFMT_IR_REDUCEOPS_TD
