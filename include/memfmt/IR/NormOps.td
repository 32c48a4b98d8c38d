//===- NormOps.td - normalisation and softmax ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_NORMOPS_TD
#define MEMFMT_IR_NORMOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_GroupNormOp : MemFmt_PortedOp<"group_norm", [AttrSizedOperandSegments]> {
  let summary = "normalisation over groups of channels";
  let description = [{
    (N, C, spatial...): mean and variance (biased) over each group of C / groups channels
    and all spatial axes of one batch element; then `* scale + offset` (both (C), each
    may be absent).
    ```mlir
    %y = memfmt.group_norm %x {groups = 3 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$scale, Optional<AnyRankedTensor>:$offset, I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_InstanceNormOp : MemFmt_PortedOp<"instance_norm", [AttrSizedOperandSegments]> {
  let summary = "normalisation of every feature map";
  let description = [{
    `memfmt.group_norm` with one channel in a group. In PyTorch it is an operation of
    its own, with strides of its own.
    ```mlir
    %y = memfmt.instance_norm %x {epsilon = 1.0e-05 : f64} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$scale, Optional<AnyRankedTensor>:$offset, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_LayerNormOp : MemFmt_PortedOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "normalisation over the last axes";
  let description = [{
    Mean and variance (biased) over the last `num_axes` axes; `scale` and `offset`
    have the shape of those.
    ```mlir
    %y = memfmt.layer_norm %x {num_axes = 1 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$scale, Optional<AnyRankedTensor>:$offset, I64Attr:$num_axes, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_BatchNormTrainingOp : MemFmt_PortedOp<"batch_norm_training", [AttrSizedOperandSegments]> {
  let summary = "batch normalisation with the statistics of the batch";
  let description = [{
    Mean and variance (biased) over all axes but that of the channels are results.
    ```mlir
    %y, %mean, %variance = memfmt.batch_norm_training %x {epsilon = 1.0e-05 : f64}
      : (tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$scale, Optional<AnyRankedTensor>:$offset, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result, AnyRankedTensor:$mean, AnyRankedTensor:$variance);
  let assemblyFormat = "$input (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_BatchNormBackwardOp : MemFmt_PortedOp<"batch_norm_backward"> {
  let summary = "gradients of batch normalisation in training";
  let description = [{
    From the gradient of the result, the input, the statistics of the batch and the
    scale (C): the gradients of input, scale and offset.
    ```mlir
    %dx, %ds, %do = memfmt.batch_norm_backward %dy, %x, %mean, %variance, %scale {epsilon = 1.0e-05 : f64}
      : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$input, AnyRankedTensor:$mean, AnyRankedTensor:$variance, AnyRankedTensor:$scale, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$input_gradient, AnyRankedTensor:$scale_gradient, AnyRankedTensor:$offset_gradient);
  let assemblyFormat = "$gradient `,` $input `,` $mean `,` $variance `,` $scale attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_GroupNormBackwardOp : MemFmt_PortedOp<"group_norm_backward"> {
  let summary = "gradients of group normalisation";
  let description = [{
    From the gradient of the result, the input and the scale (C): the gradients of
    input, scale and offset.
    ```mlir
    %dx, %ds, %do = memfmt.group_norm_backward %dy, %x, %scale {groups = 3 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<6xf32>)
      -> (tensor<2x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$input, AnyRankedTensor:$scale, I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$input_gradient, AnyRankedTensor:$scale_gradient, AnyRankedTensor:$offset_gradient);
  let assemblyFormat = "$gradient `,` $input `,` $scale attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_LayerNormBackwardOp : MemFmt_PortedOp<"layer_norm_backward"> {
  let summary = "gradients of layer normalisation";
  let description = [{
    From the gradient of the result, the input and the scale (the shape of the last
    `num_axes` axes): the gradients of input, scale and offset.
    ```mlir
    %dx, %ds, %do = memfmt.layer_norm_backward %dy, %x, %scale {num_axes = 1 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<5xf32>)
      -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$input, AnyRankedTensor:$scale, I64Attr:$num_axes, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$input_gradient, AnyRankedTensor:$scale_gradient, AnyRankedTensor:$offset_gradient);
  let assemblyFormat = "$gradient `,` $input `,` $scale attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_LocalResponseNormOp : MemFmt_PortedOp<"local_response_norm"> {
  let summary = "normalisation over neighbouring channels";
  let description = [{
    `input / (k + alpha / size * sum)^beta`, the sum of squares over `size` channels of
    which the middle one (the later of two) is the element's own.
    ```mlir
    %y = memfmt.local_response_norm %x
      {size = 3 : i64, alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, k = 1.0 : f64}
      : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$k);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MemFmt_SoftmaxOp : MemFmt_PortedOp<"softmax"> {
  let summary = "exponentials that sum to one along an axis";
  let description = [{
    With `log` the logarithm of it.
    ```mlir
    %y = memfmt.softmax %x {axis = 1 : i64} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, UnitAttr:$log);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // MEMFMT_IR_NORMOPS_TD
