//===- WindowOps.td - windows and resampling ----------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_WINDOWOPS_TD
#define MEMFMT_IR_WINDOWOPS_TD

include "memfmt/IR/InferredOp.td"
include "memfmt/IR/ComputeOps.td"

def MemFmt_ConvTransposeOp : MemFmt_PortedOp<"conv_transpose"> {
  let summary = "transposed convolution over one to three spatial axes";
  let description = [{
    `input` (N, C, spatial...), `filter` (C, K / groups, window...), optional `bias`
    (K), result (N, K, spatial...); for every spatial axis

        out = (in - 1) * stride - pad_low - pad_high + dilation * (window - 1) + output_padding + 1

    It is the gradient of a convolution with respect to its input.
    ```mlir
    %y = memfmt.conv_transpose %x, %w
      {strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
       dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<2x4x5x5xf32>, tensor<4x6x2x2xf32>) -> tensor<2x6x10x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter, Optional<AnyRankedTensor>:$bias, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$output_padding, I64Attr:$groups);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $filter (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def MemFmt_ConvBackwardOp : MemFmt_PortedOp<"conv_backward"> {
  let summary = "gradients of a convolution";
  let description = [{
    `gradient` is that of the result of `memfmt.conv` with these attributes; the
    results are the gradients of `input`, `filter` and bias (K).
    ```mlir
    %dx, %dw, %db = memfmt.conv_backward %dy, %x, %w
      {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
       dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<2x6x8x8xf32>, tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>)
      -> (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$input, AnyRankedTensor:$filter, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs AnyRankedTensor:$input_gradient, AnyRankedTensor:$filter_gradient, AnyRankedTensor:$bias_gradient);
  let assemblyFormat = "$gradient `,` $input `,` $filter attr-dict `:` functional-type(operands, results)";
}

def MemFmt_MaxPoolIndicesOp : MemFmt_PortedOp<"max_pool_indices"> {
  let summary = "maximum over a window, with its place";
  let description = [{
    As `memfmt.pool max`. The second result (i64) is the place of each maximum in
    the row-major order of the spatial axes of the input, the first one among
    equals, the last NaN if there is one: a logical place, whatever the formats.
    `ceil_mode` of PyTorch is a larger `pad_high`.
    ```mlir
    %y, %i = memfmt.max_pool_indices %x
      {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
       pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi64>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations);
  let results = (outs AnyRankedTensor:$result, AnyRankedTensor:$indices);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_MaxUnpoolOp : Op<MemFmt_Dialect, "max_unpool", [Pure,
    DeclareOpInterfaceMethods<FormatOpInterface>]> {
  let summary = "maxima put back at their places";
  let description = [{
    The values of `input` go to the places that `indices` name (see
    `memfmt.max_pool_indices`); all other elements are zero. Where places coincide
    the last in row-major order wins.
    ```mlir
    %y = memfmt.max_unpool %x, %i : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi64>) -> tensor<2x4x8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $indices attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_PoolBackwardOp : MemFmt_PortedOp<"pool_backward"> {
  let summary = "gradient of a pool";
  let description = [{
    `gradient` is that of the result of `memfmt.pool` of this kind and with these
    attributes over `input`; the result has the shape of `input`. The gradient of a
    maximum goes to the first largest element of its window, the last NaN if there
    is one.
    ```mlir
    %dx = memfmt.pool_backward avg %dy, %x
      {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
       pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<2x4x4x4xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    ```
  }];
  let arguments = (ins MemFmt_PoolKindAttr:$kind, AnyRankedTensor:$gradient, AnyRankedTensor:$input, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations, UnitAttr:$exclude_pad);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $gradient `,` $input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_AdaptivePoolOp : Op<MemFmt_Dialect, "adaptive_pool", [Pure,
    DeclareOpInterfaceMethods<FormatOpInterface>]> {
  let summary = "average or maximum over windows that fit the result";
  let description = [{
    Result index o along an axis of size `in` to `out` covers the input from
    `floor(o * in / out)` to `ceil((o + 1) * in / out)`. The kind `sum` is not allowed.
    ```mlir
    %y = memfmt.adaptive_pool avg %x : (tensor<2x3x7x7xf32>) -> tensor<2x3x1x1xf32>
    ```
  }];
  let arguments = (ins MemFmt_PoolKindAttr:$kind, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_AdaptivePoolBackwardOp : MemFmt_PortedOp<"adaptive_pool_backward"> {
  let summary = "gradient of an adaptive pool";
  let description = [{
    `gradient` is that of the result of `memfmt.adaptive_pool` of this kind over
    `input`; the result has the shape of `input`. The gradient of a maximum goes to
    the first largest element of its window, the last NaN if there is one.
    ```mlir
    %dx = memfmt.adaptive_pool_backward avg %dy, %x
      : (tensor<2x3x1x1xf32>, tensor<2x3x7x7xf32>) -> tensor<2x3x7x7xf32>
    ```
  }];
  let arguments = (ins MemFmt_PoolKindAttr:$kind, AnyRankedTensor:$gradient, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $gradient `,` $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_ResizeMode : I32EnumAttr<"ResizeMode", "how a resized element is computed", [
    I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>,
    I32EnumAttrCase<"cubic", 2>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_ResizeModeAttr : EnumAttr<MemFmt_Dialect, MemFmt_ResizeMode, "resize_mode">;

def MemFmt_ResizeCoordinates : I32EnumAttr<"ResizeCoordinates", "where a result element lies in the input", [
    I32EnumAttrCase<"asymmetric", 0>, I32EnumAttrCase<"half_pixel", 1>,
    I32EnumAttrCase<"align_corners", 2>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_ResizeCoordinatesAttr : EnumAttr<MemFmt_Dialect, MemFmt_ResizeCoordinates, "resize_coordinates">;

class MemFmt_ResizeBase<string mnemonic> : Op<MemFmt_Dialect, mnemonic, [Pure,
    DeclareOpInterfaceMethods<FormatOpInterface>]> {
  let hasVerifier = 1;
}

def MemFmt_ResizeOp : MemFmt_ResizeBase<"resize"> {
  let summary = "up-sampling and resizing of the spatial axes";
  let description = [{
    (N, C, spatial...) to (N, C, spatial...). Result index o lies at

        asymmetric      o * scale
        half_pixel      (o + 0.5) * scale - 0.5
        align_corners   o * (in - 1) / (out - 1)

    with `scale` = in / out, or as given for each spatial axis in `scales` (of the
    input over the result, as PyTorch keeps `1 / scale_factor`). `nearest` takes the
    element at the floor of the place (with `half_pixel` that is PyTorch's
    `nearest-exact`); `linear` and `cubic` (a = -0.75) read beyond the border as the
    border, and `linear` clamps places at 0.
    ```mlir
    %y = memfmt.resize linear half_pixel %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32>
    ```
  }];
  let arguments = (ins MemFmt_ResizeModeAttr:$mode, MemFmt_ResizeCoordinatesAttr:$coordinates,
      AnyRankedTensor:$input, OptionalAttr<DenseF64ArrayAttr>:$scales);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$mode $coordinates $input attr-dict `:` functional-type(operands, results)";
}

def MemFmt_ResizeBackwardOp : MemFmt_ResizeBase<"resize_backward"> {
  let summary = "gradient of a resize";
  let description = [{
    `gradient` is that of the result of `memfmt.resize`; the result has the shape of
    its input.
    ```mlir
    %dx = memfmt.resize_backward nearest asymmetric %dy : (tensor<2x3x8x10xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins MemFmt_ResizeModeAttr:$mode, MemFmt_ResizeCoordinatesAttr:$coordinates,
      AnyRankedTensor:$gradient, OptionalAttr<DenseF64ArrayAttr>:$scales);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$mode $coordinates $gradient attr-dict `:` functional-type(operands, results)";
}

#endif // MEMFMT_IR_WINDOWOPS_TD
