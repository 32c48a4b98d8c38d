//===- ElementwiseOps.td - element-wise operations ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_ELEMENTWISEOPS_TD
#define MEMFMT_IR_ELEMENTWISEOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_ElementwiseKind : I32EnumAttr<"ElementwiseKind", "what is computed of each element", [
    I32EnumAttrCase<"abs", 0>,
    I32EnumAttrCase<"acos", 1>,
    I32EnumAttrCase<"asin", 2>,
    I32EnumAttrCase<"atan", 3>,
    I32EnumAttrCase<"ceil", 4>,
    I32EnumAttrCase<"cos", 5>,
    I32EnumAttrCase<"elu", 6>,
    I32EnumAttrCase<"erf", 7>,
    I32EnumAttrCase<"exp", 8>,
    I32EnumAttrCase<"expm1", 9>,
    I32EnumAttrCase<"floor", 10>,
    I32EnumAttrCase<"gelu", 11>,
    I32EnumAttrCase<"gelu_tanh", 12>,
    I32EnumAttrCase<"hardsigmoid", 13>,
    I32EnumAttrCase<"hardswish", 14>,
    I32EnumAttrCase<"hardtanh", 15>,
    I32EnumAttrCase<"leaky_relu", 16>,
    I32EnumAttrCase<"log", 17>,
    I32EnumAttrCase<"log1p", 18>,
    I32EnumAttrCase<"logical_not", 19>,
    I32EnumAttrCase<"mish", 20>,
    I32EnumAttrCase<"nan_to_num", 21>,
    I32EnumAttrCase<"neg", 22>,
    I32EnumAttrCase<"reciprocal", 23>,
    I32EnumAttrCase<"relu", 24>,
    I32EnumAttrCase<"relu6", 25>,
    I32EnumAttrCase<"round", 26>,
    I32EnumAttrCase<"rsqrt", 27>,
    I32EnumAttrCase<"sigmoid", 28>,
    I32EnumAttrCase<"sign", 29>,
    I32EnumAttrCase<"silu", 30>,
    I32EnumAttrCase<"sin", 31>,
    I32EnumAttrCase<"softplus", 32>,
    I32EnumAttrCase<"sqrt", 33>,
    I32EnumAttrCase<"square", 34>,
    I32EnumAttrCase<"tan", 35>,
    I32EnumAttrCase<"tanh", 36>,
    I32EnumAttrCase<"trunc", 37>,
    I32EnumAttrCase<"convert", 38>,
    I32EnumAttrCase<"add", 39>,
    I32EnumAttrCase<"atan2", 40>,
    I32EnumAttrCase<"div", 41>,
    I32EnumAttrCase<"eq", 42>,
    I32EnumAttrCase<"fmod", 43>,
    I32EnumAttrCase<"ge", 44>,
    I32EnumAttrCase<"gt", 45>,
    I32EnumAttrCase<"heaviside", 46>,
    I32EnumAttrCase<"le", 47>,
    I32EnumAttrCase<"logical_and", 48>,
    I32EnumAttrCase<"logical_or", 49>,
    I32EnumAttrCase<"lt", 50>,
    I32EnumAttrCase<"maximum", 51>,
    I32EnumAttrCase<"minimum", 52>,
    I32EnumAttrCase<"mul", 53>,
    I32EnumAttrCase<"ne", 54>,
    I32EnumAttrCase<"pow", 55>,
    I32EnumAttrCase<"prelu", 56>,
    I32EnumAttrCase<"sub", 57>,
    I32EnumAttrCase<"addcdiv", 58>,
    I32EnumAttrCase<"addcmul", 59>,
    I32EnumAttrCase<"clamp", 60>,
    I32EnumAttrCase<"clamp_tensor", 61>,
    I32EnumAttrCase<"lerp", 62>,
    I32EnumAttrCase<"where", 63>,
    I32EnumAttrCase<"masked_fill", 64>,
    I32EnumAttrCase<"fake_quantize", 65>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_ElementwiseKindAttr : EnumAttr<MemFmt_Dialect, MemFmt_ElementwiseKind, "elementwise_kind">;

def MemFmt_ElementwiseOp : Op<MemFmt_Dialect, "elementwise", [Pure,
    MemFmt_InferTypes, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<FormatOpInterface, ["isFormatAgnostic"]>]> {
  let summary = "one function of every element, with broadcasting";
  let description = [{
    Operands broadcast as in NumPy: shapes are aligned at their last axis, and a
    size of 1 fits every size. A tensor of rank 0 is a scalar, and so is an operand
    of an element type. It keeps scalars as operands, which `linalg.generic` does
    not, because PyTorch lets them decide over strides. `prelu` takes the slopes of
    its second operand along axis 1.

    `parameters` are the constants of a kind: `elu`, `leaky_relu` (slope), `clamp`,
    `hardtanh` (minimum, maximum), `softplus` (beta), `nan_to_num` (the value for
    NaN), `addcmul`, `addcdiv` (factor), `add`, `sub` (factor of the second operand),
    `fake_quantize` (scale, zero point, least and greatest integer).

    NaN gives NaN but in `sign`, `heaviside`, `nan_to_num`, comparisons and
    selections. With `ignore_nan`, `relu6`, `clamp`, `hardtanh` and `hardsigmoid`
    give for NaN what they give for minus infinity, as `nan_mode = IGNORE` of TOSA
    does, and as comparisons and selections spell them.

    With `into`, the result takes the memory of that tensor, if it has the right
    size: this is how in-place operations and `out=` are spelled.

    The element type of the result is given; comparisons give i1.
    ```mlir
    %y = memfmt.elementwise add %x, %s
      : (tensor<2x3x4x5xf32>, tensor<f32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins MemFmt_ElementwiseKindAttr:$kind, Variadic<AnyType>:$inputs,
      Optional<AnyRankedTensor>:$into, OptionalAttr<DenseF64ArrayAttr>:$parameters,
      UnitAttr:$ignore_nan);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $inputs (`into` $into^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_DropoutOp : MemFmt_AgnosticOp<"dropout"> {
  let summary = "scaling of the elements that a mask keeps";
  let description = [{
    Without a mask (inference) the result is the input. With one, it is
    `input * mask / (1 - probability)`. The mask has the shape of the input or
    size 1 on axes that share it: (N, C, 1, 1) drops whole feature maps.
    ```mlir
    %y = memfmt.dropout %x, %mask {probability = 0.5 : f64}
      : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyRankedTensor>:$mask,
      F64Attr:$probability);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`,` $mask^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MEMFMT_IR_ELEMENTWISEOPS_TD
