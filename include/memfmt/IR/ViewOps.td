//===- ViewOps.td - the same elements under other axes ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_VIEWOPS_TD
#define MEMFMT_IR_VIEWOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_PermuteOp : MemFmt_InferredOp<"permute",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "axes in another order";
  let description = [{
    Axis i of the result is axis `permutation[i]` of the input. A renaming of axes:
    nothing moves.
    ```mlir
    %y = memfmt.permute %x {permutation = array<i64: 0, 2, 3, 1>}
      : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_ReshapeOp : Op<MemFmt_Dialect, "reshape", [Pure,
    DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "another shape, elements in row-major order";
  let description = [{
    A view where strides can express it, else a copy. With `view` it is an error
    under the `torch` policy where they cannot (`Tensor.view`).
    ```mlir
    %y = memfmt.reshape %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, UnitAttr:$view);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_ExpandOp : Op<MemFmt_Dialect, "expand", [Pure,
    DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "axes of size 1 repeated without copying";
  let description = [{
    Shapes are aligned at their last axis. A size of 1 becomes any size, new axes
    come in front; both get stride 0.
    ```mlir
    %y = memfmt.expand %x : (tensor<3x1x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_SqueezeOp : MemFmt_InferredOp<"squeeze",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "axes of size 1 removed";
  let description = [{
    Of the axes named, those of size 1 are removed; the others stay. Sizes of named
    axes must be static.
    ```mlir
    %y = memfmt.squeeze %x {axes = array<i64: 0, 2>} : (tensor<1x3x4x5xf32>) -> tensor<3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_UnsqueezeOp : MemFmt_InferredOp<"unsqueeze",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "an axis of size 1 added";
  let description = [{
    `axis` is its place in the result.
    ```mlir
    %y = memfmt.unsqueeze %x {axis = 0 : i64} : (tensor<3x4x5xf32>) -> tensor<1x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_SelectOp : MemFmt_InferredOp<"select",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "one index of an axis";
  let description = [{
    The result has one axis less.
    ```mlir
    %y = memfmt.select %x {axis = 0 : i64, index = 1 : i64} : (tensor<2x3x4x5xf32>) -> tensor<3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, I64Attr:$index);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_DiagonalOp : MemFmt_InferredOp<"diagonal",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "the diagonal of two axes";
  let description = [{
    Elements where the indices of `axis1` and `axis2` are equal; the two axes are
    replaced by a last one of the smaller size.
    ```mlir
    %y = memfmt.diagonal %x {axis1 = 2 : i64, axis2 = 3 : i64} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis1, I64Attr:$axis2);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_SlidingWindowOp : MemFmt_InferredOp<"sliding_window",
    [DeclareOpInterfaceMethods<ViewOpInterface>]> {
  let summary = "overlapping slices along an axis as a new axis";
  let description = [{
    `Tensor.unfold`: axis `axis` becomes the number of windows of `size` elements
    that begin `step` apart, and a last axis runs through a window.
    ```mlir
    %y = memfmt.sliding_window %x {axis = 2 : i64, size = 3 : i64, step = 1 : i64}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x2x5x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, I64Attr:$size, I64Attr:$step);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // MEMFMT_IR_VIEWOPS_TD
