//===- MovementOps.td - elements at other places ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_MOVEMENTOPS_TD
#define MEMFMT_IR_MOVEMENTOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>,
    I32EnumAttrCase<"replicate", 2>, I32EnumAttrCase<"circular", 3>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_PadModeAttr : EnumAttr<MemFmt_Dialect, MemFmt_PadMode, "pad_mode">;

def MemFmt_PadOp : MemFmt_AgnosticOp<"pad"> {
  let summary = "elements added around a tensor";
  let description = [{
    `low` and `high` count elements for each axis; negative ones crop (`constant`
    only). `reflect` mirrors without repeating the border, `replicate` repeats the
    border, `circular` wraps around.
    ```mlir
    %y = memfmt.pad reflect %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x6x7xf32>
    ```
  }];
  let arguments = (ins MemFmt_PadModeAttr:$mode, AnyRankedTensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, OptionalAttr<F64Attr>:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$mode $input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_FlipOp : MemFmt_AgnosticOp<"flip"> {
  let summary = "axes run backwards";
  let description = [{
    ```mlir
    %y = memfmt.flip %x {axes = array<i64: 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_RollOp : MemFmt_AgnosticOp<"roll"> {
  let summary = "elements shifted around an axis";
  let description = [{
    The element at index i of axis `axes[k]` goes to `(i + shifts[k]) mod size`.
    ```mlir
    %y = memfmt.roll %x {axes = array<i64: 2>, shifts = array<i64: 1>}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$shifts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_RepeatOp : MemFmt_PortedOp<"repeat"> {
  let summary = "a tensor tiled, or its elements repeated";
  let description = [{
    `repeats` has one count for each axis of the result; axes that the input lacks
    come in front. With `interleave` each element is repeated in place.
    ```mlir
    %y = memfmt.repeat %x {repeats = array<i64: 1, 2, 1, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x6x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$repeats, UnitAttr:$interleave);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_StackOp : MemFmt_InferredOp<"stack"> {
  let summary = "tensors along a new axis";
  let description = [{
    All inputs have one shape; `axis` is the place of the new axis in the result.
    ```mlir
    %y = memfmt.stack %a, %b {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def MemFmt_PixelShuffleOp : MemFmt_AgnosticOp<"pixel_shuffle"> {
  let summary = "channels become pixels";
  let description = [{
    (N, C * f^s, spatial...) to (N, C, spatial * f...) for s spatial axes (1 to 3):
    `result[n, c, f*h + i, f*w + j] = input[n, c*f*f + i*f + j, h, w]`.
    ```mlir
    %y = memfmt.pixel_shuffle %x {factor = 2 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x1x16x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$factor);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_PixelUnshuffleOp : MemFmt_AgnosticOp<"pixel_unshuffle"> {
  let summary = "pixels become channels";
  let description = [{
    The inverse of `memfmt.pixel_shuffle`.
    ```mlir
    %y = memfmt.pixel_unshuffle %x {factor = 2 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x16x4x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$factor);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_ChannelShuffleOp : MemFmt_AgnosticOp<"channel_shuffle"> {
  let summary = "channels of groups interleaved";
  let description = [{
    Channel `g * (C / groups) + k` goes to `k * groups + g`.
    ```mlir
    %y = memfmt.channel_shuffle %x {groups = 2 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$groups);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def MemFmt_GluOp : MemFmt_AgnosticOp<"glu"> {
  let summary = "the first half of an axis, gated by the second";
  let description = [{
    `a * sigmoid(b)` for the halves a and b of `axis`, whose size is even.
    ```mlir
    %y = memfmt.glu %x {axis = 1 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x2x8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_IndexSelectOp : MemFmt_PortedOp<"index_select"> {
  let summary = "slices of an axis by number";
  let description = [{
    `indices` has rank 1; `result[..., k, ...] = input[..., indices[k], ...]`.
    ```mlir
    %y = memfmt.index_select %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$indices, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $indices attr-dict `:` functional-type(operands, results)";
}

#endif // MEMFMT_IR_MOVEMENTOPS_TD
