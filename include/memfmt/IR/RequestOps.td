//===- RequestOps.td - formats asked for --------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_REQUESTOPS_TD
#define MEMFMT_IR_REQUESTOPS_TD

include "memfmt/IR/InferredOp.td"

def MemFmt_FormatRequest : I32EnumAttr<"FormatRequest", "the format asked of a result", [
    I32EnumAttrCase<"preserve", 0>, I32EnumAttrCase<"contiguous", 1>,
    I32EnumAttrCase<"channels_last", 2>, I32EnumAttrCase<"channels_last_3d", 3>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_FormatRequestAttr : EnumAttr<MemFmt_Dialect, MemFmt_FormatRequest, "format_request">;

def MemFmt_RequestKind : I32EnumAttr<"RequestKind", "how a format is asked for", [
    I32EnumAttrCase<"to", 0>, I32EnumAttrCase<"contiguous", 1>,
    I32EnumAttrCase<"clone", 2>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_RequestKindAttr : EnumAttr<MemFmt_Dialect, MemFmt_RequestKind, "request_kind">;

class MemFmt_RequestBase<string mnemonic, list<Trait> traits>
    : Op<MemFmt_Dialect, mnemonic, !listconcat([Pure,
        MemFmt_InferTypes], traits)>;

def MemFmt_RequestFormatOp : MemFmt_RequestBase<"request_format",
    [DeclareOpInterfaceMethods<DeclaredFormatOpInterface>]> {
  let summary = "the same values, in the format and element type asked for";
  let description = [{
    The three ways of PyTorch: `to` returns its operand where `suggest_format` gives
    the format asked for, `contiguous` where the operand is contiguous in it, `clone`
    never. They differ under the `torch` policy where axes have size 1, and mean the
    same otherwise. `to` also converts elements; `copy` makes it copy in any case.

    PyTorch's names: `channels_last` needs rank 4, `channels_last_3d` rank 5.
    ```mlir
    %y = memfmt.request_format to channels_last %x
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf64>
    ```
  }];
  let arguments = (ins MemFmt_RequestKindAttr:$kind, MemFmt_FormatRequestAttr:$format,
      AnyRankedTensor:$input, UnitAttr:$copy);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $format $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_FullLikeOp : MemFmt_RequestBase<"full_like",
    [DeclareOpInterfaceMethods<DeclaredFormatOpInterface>]> {
  let summary = "a tensor of one value, of the shape of another";
  let description = [{
    `format` is what is asked of the result, as in `memfmt.request_format`.
    ```mlir
    %y = memfmt.full_like preserve %x {value = 1.0 : f64}
      : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins MemFmt_FormatRequestAttr:$format, AnyRankedTensor:$input,
      F64Attr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$format $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // MEMFMT_IR_REQUESTOPS_TD
