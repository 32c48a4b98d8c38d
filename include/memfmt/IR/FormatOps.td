//===- FormatOps.td - operations on formats ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_FORMATOPS_TD
#define MEMFMT_IR_FORMATOPS_TD

include "memfmt/IR/ComputeInterfaces.td"
include "memfmt/IR/MemFmtAttrs.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MemFmt_FormatOp<string mnemonic, list<Trait> traits = []>
    : Op<MemFmt_Dialect, mnemonic, !listconcat([Pure], traits)>;

def MemFmt_ToFormatOp : MemFmt_FormatOp<"to_format",
    [DeclareOpInterfaceMethods<DeclaredFormatOpInterface>]> {
  let summary = "the same values in another format";
  let description = [{
    The only operation that moves data because of a format. Operand and result
    have the same logical shape and element type; the result type says the format.
    Between equivalent formats nothing moves, and the result keeps its type.
    ```mlir
    %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_PinOp : MemFmt_FormatOp<"pin",
    [DeclareOpInterfaceMethods<DeclaredFormatOpInterface>]> {
  let summary = "the user's word: this value has this format";
  let description = [{
    A hard constraint for assignment: the result has the format of its type.
    ```mlir
    %y = memfmt.pin %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def MemFmt_AssertFormatOp : MemFmt_FormatOp<"assert_format", [AllTypesMatch<["input", "result"]>]> {
  let summary = "states a format that is checked";
  let description = [{
    The value is passed on. It is an error when the type declares a format that
    gives some element another address. A type without encoding may still get a
    format, so it is judged at propagation; strided memory is judged where it
    enters the program.
    ```mlir
    %y = memfmt.assert_format %x : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> in #memfmt.format<channels_last>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, FormatAttrInterface:$format);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `in` $format";
  let hasVerifier = 1;
}

def MemFmt_IsContiguousOp : MemFmt_FormatOp<"is_contiguous",
    [DeclareOpInterfaceMethods<FormatQueryOpInterface>]> {
  let summary = "whether a tensor is dense in a format";
  let description = [{
    The query of PyTorch as an operation. A rank that the format does not serve
    is no error: the answer is false. A tensor without elements is contiguous in
    row-major order; in other orders its strides must be those of a dense tensor, as
    PyTorch has it. Folds where a declared format decides: that
    of an encoded type, a function argument, a constant, `to_format`, `pin` or
    `empty_like`. Other values have no format before propagation, which answers
    the query for them.
    ```mlir
    %b = memfmt.is_contiguous %x : tensor<2x3x4x5xf32> in #memfmt.format<channels_last>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, FormatAttrInterface:$format);
  let results = (outs I1:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `in` $format";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_LayoutQuery : I32EnumAttr<"LayoutQuery", "what is asked about strides", [
    I32EnumAttrCase<"is_contiguous", 0>, I32EnumAttrCase<"is_channels_last_1d", 1>,
    I32EnumAttrCase<"is_channels_last", 2>, I32EnumAttrCase<"is_channels_last_3d", 3>,
    I32EnumAttrCase<"is_non_overlapping_and_dense", 4>,
    I32EnumAttrCase<"is_like_channels_last", 5>, I32EnumAttrCase<"is_like_channels_last_3d", 6>,
    I32EnumAttrCase<"suggests_contiguous", 7>, I32EnumAttrCase<"suggests_channels_last", 8>,
    I32EnumAttrCase<"suggests_channels_last_3d", 9>,
    I32EnumAttrCase<"suggests_channels_last_exactly", 10>,
    I32EnumAttrCase<"suggests_channels_last_3d_exactly", 11>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_LayoutQueryAttr : EnumAttr<MemFmt_Dialect, MemFmt_LayoutQuery, "layout_query">;

def MemFmt_QueryOp : MemFmt_FormatOp<"query",
    [DeclareOpInterfaceMethods<FormatQueryOpInterface>]> {
  let summary = "a question of PyTorch about the strides of a tensor";
  let description = [{
    By PyTorch's names, which serve one rank each: `channels_last` rank 4,
    `channels_last_3d` rank 5, and `channels_last_1d` (not PyTorch's) rank 3; for
    another rank the answer is false. `is_like` asks whether strides grow in that
    order, dense or not, and reads those of axes of size 1; `suggests` is
    `suggest_memory_format`, with `exactly` only for strides of a dense tensor.
    Folds as `memfmt.is_contiguous` does.
    ```mlir
    %b = memfmt.query is_non_overlapping_and_dense %x : tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins MemFmt_LayoutQueryAttr:$query, AnyRankedTensor:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "$query $input attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MemFmt_LikeOption : I32EnumAttr<"LikeOption", "the format asked of a result", [
    I32EnumAttrCase<"preserve", 0>, I32EnumAttrCase<"contiguous", 1>,
    I32EnumAttrCase<"channels_last", 2>, I32EnumAttrCase<"format", 3>,
    I32EnumAttrCase<"channels_last_3d", 4>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_LikeOptionAttr : EnumAttr<MemFmt_Dialect, MemFmt_LikeOption, "like_option">;

def MemFmt_EmptyLikeOp : MemFmt_FormatOp<"empty_like",
    [DeclareOpInterfaceMethods<DeclaredFormatOpInterface>]> {
  let summary = "an uninitialised tensor of the shape of another";
  let description = [{
    `option` is what was asked of the result: `preserve` the format of the
    operand, `contiguous`, `channels_last`, `channels_last_3d` (rank 5), or `format`
    for the format of the result type. The result of `preserve` gets its format at
    propagation.
    ```mlir
    %y = memfmt.empty_like preserve %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
    ```
  }];
  let arguments = (ins MemFmt_LikeOptionAttr:$option, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$option $input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // MEMFMT_IR_FORMATOPS_TD
