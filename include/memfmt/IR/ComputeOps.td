//===- ComputeOps.td - layout-free operations of networks --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One symbol per operation, whatever the formats of its tensors: the logical
// shape never changes, so there is no `conv_nhwc`.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_COMPUTEOPS_TD
#define MEMFMT_IR_COMPUTEOPS_TD

include "memfmt/IR/MemFmtBase.td"
include "memfmt/IR/ComputeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MemFmt_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Op<MemFmt_Dialect, mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<FormatOpInterface>], traits)>;

/// An operation with a fused element-wise tail.
class MemFmt_EpilogueOp<string mnemonic, list<Trait> traits = []>
    : Op<MemFmt_Dialect, mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<FormatOpInterface, ["getNumScalarOps"]>,
        DeclareOpInterfaceMethods<EpilogueOpInterface>, SingleBlock,
        IsolatedFromAbove], traits)>;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

def MemFmt_ConvOp : MemFmt_EpilogueOp<"conv", [AttrSizedOperandSegments]> {
  let summary = "convolution over one to three spatial axes";
  let description = [{
    Logical shapes, whatever the formats: `input` (N, C, spatial...), `filter`
    (K, C / groups, window...), `bias` (K), result (N, K, spatial...). For every
    spatial axis

        out = (in + pad_low + pad_high - dilation * (window - 1) - 1) / stride + 1

    The padding reads as zero. A depthwise convolution has `groups` = C. As in
    PyTorch the filter is not flipped (cross-correlation).

    Sums of bf16 and f16 are kept in f32. The result may have that type, or the
    one of the input, rounded once; so may the bias and the accumulated element
    of the epilogue.

    The optional epilogue is an element-wise tail, see `EpilogueOpInterface`.
    Its operands have the rank of the result, and each size is that of the
    result or 1.

    ```mlir
    %y = memfmt.conv %x, %w bias(%b : tensor<64xf32>)
      {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
       pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter,
      Optional<AnyRankedTensor>:$bias, Variadic<AnyRankedTensor>:$epilogue_operands,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low,
      DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilations,
      I64Attr:$groups);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    $input `,` $filter (`bias` `(` $bias^ `:` type($bias) `)`)?
    custom<Epilogue>($epilogue_operands, type($epilogue_operands), $epilogue)
    attr-dict `:` type($input) `,` type($filter) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of spatial axes.
    int64_t getNumSpatial() { return getInput().getType().getRank() - 2; }
    /// One filter per channel, one result channel per input channel.
    bool isDepthwise();
  }];
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def MemFmt_PoolKind : I32EnumAttr<"PoolKind", "what a pooling window computes", [
    I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"avg", 1>,
    I32EnumAttrCase<"sum", 2>]> {
  let cppNamespace = "::memfmt";
  let genSpecializedAttr = 0;
}
def MemFmt_PoolKindAttr : EnumAttr<MemFmt_Dialect, MemFmt_PoolKind, "pool_kind">;

def MemFmt_PoolOp : MemFmt_EpilogueOp<"pool"> {
  let summary = "maximum, average or sum over a sliding window";
  let description = [{
    Logical shapes: `input` (N, C, spatial...), result (N, C, spatial...). `max`
    reads the padding as minus infinity and propagates NaN; `avg` divides the
    sum by the number of window elements, padding counted unless
    `exclude_pad` is set; `sum` reads the padding as zero.

    Result sizes are at most
    `(in + pad_low + pad_high - dilation * (window - 1) - 1) / stride + 1`.
    ```mlir
    %y = memfmt.pool max %x
      {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>,
       pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
      : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins MemFmt_PoolKindAttr:$kind, AnyRankedTensor:$input,
      Variadic<AnyRankedTensor>:$epilogue_operands,
      DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
      DenseI64ArrayAttr:$dilations, UnitAttr:$exclude_pad);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    $kind $input custom<Epilogue>($epilogue_operands, type($epilogue_operands), $epilogue)
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of spatial axes.
    int64_t getNumSpatial() { return getInput().getType().getRank() - 2; }
  }];
}

//===----------------------------------------------------------------------===//
// Linear layer, batch normalisation
//===----------------------------------------------------------------------===//

def MemFmt_LinearOp : MemFmt_EpilogueOp<"linear", [AttrSizedOperandSegments]> {
  let summary = "product with a transposed weight matrix and a bias";
  let description = [{
    `input` (M, K), `filter` (N, K), `bias` (N), result (M, N):
    `result[m, n] = sum_k input[m, k] * filter[n, k] + bias[n]`. All tensors are
    row-major.
    ```mlir
    %y = memfmt.linear %x, %w bias(%b : tensor<1000xf32>)
      : tensor<1x512xf32>, tensor<1000x512xf32> -> tensor<1x1000xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter,
      Optional<AnyRankedTensor>:$bias, Variadic<AnyRankedTensor>:$epilogue_operands);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    $input `,` $filter (`bias` `(` $bias^ `:` type($bias) `)`)?
    custom<Epilogue>($epilogue_operands, type($epilogue_operands), $epilogue)
    attr-dict `:` type($input) `,` type($filter) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MemFmt_BatchNormOp : MemFmt_ComputeOp<"batch_norm"> {
  let summary = "batch normalisation with fixed statistics";
  let description = [{
    `input` and result (N, C, ...); `mean`, `variance`, `scale` and `offset` (C):
    `result = (input - mean) / sqrt(variance + epsilon) * scale + offset`.
    ```mlir
    %y = memfmt.batch_norm %x, %mean, %variance, %scale, %offset {epsilon = 1.0e-05 : f64}
      : tensor<1x64x8x8xf32>, tensor<64xf32> -> tensor<1x64x8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$mean,
      AnyRankedTensor:$variance, AnyRankedTensor:$scale, AnyRankedTensor:$offset,
      F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $mean `,` $variance `,` $scale `,` $offset attr-dict
    `:` type($input) `,` custom<SameType>(type($mean), type($variance), type($scale), type($offset))
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def MemFmt_YieldOp : Op<MemFmt_Dialect, "yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["ConvOp", "PoolOp", "LinearOp", "KernelOp"]>]> {
  let summary = "the element that an epilogue stores";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def MemFmt_KernelOp : Op<MemFmt_Dialect, "kernel", [AttrSizedOperandSegments,
    DestinationStyleOpInterface, SingleBlock, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<EpilogueOpInterface>]> {
  let summary = "one kernel on physical tensors or buffers";
  let description = [{
    A kernel that was chosen from the registry. Shapes are physical: `orders`
    gives, for every input, epilogue operand and output in turn, the logical axis
    that lies at each physical position. `params` are the kernel's own (strides,
    padding, tile...). Destination-style: with tensors the results are the new
    values of `outputs`; with memrefs there are no results. An output is only
    written, never read.
    ```mlir
    memfmt.kernel "transpose" ins(%x : memref<1x3x8x8xf32>)
      outs(%y : memref<1x8x8x3xf32>)
      {orders = [array<i64: 0, 1, 2, 3>, array<i64: 0, 2, 3, 1>], params = {}}
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<AnyShaped>:$inputs,
      Variadic<AnyShaped>:$epilogue_operands, Variadic<AnyShaped>:$outputs,
      ArrayAttr:$orders, DictionaryAttr:$params);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    custom<Epilogue>($epilogue_operands, type($epilogue_operands), $epilogue)
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Inputs of a destination-style operation precede its outputs.
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// The physical order of the operand with this index, outputs included.
    ::llvm::ArrayRef<int64_t> getOrder(unsigned operand);
  }];
}

def MemFmt_LaunchOp : Op<MemFmt_Dialect, "launch",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs an outlined kernel over its tiles";
  let description = [{
    Runs the function `callee`, of type `(!llvm.ptr, i64, i64) -> ()`, on the
    pieces 0 to `tiles` of its work, possibly split over threads. Its first
    argument is an array of the data pointers of `buffers`, offsets applied.
    `id` numbers the launches of a program for profiles and reports.
    ```mlir
    memfmt.launch @kernel tiles 56 id 3 (%x, %y : memref<8xf32>, memref<8xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyMemRef>:$buffers,
      I64Attr:$tiles, I64Attr:$id);
  let assemblyFormat = [{
    $callee `tiles` $tiles `id` $id `(` ($buffers^ `:` type($buffers))? `)` attr-dict
  }];
}

#endif // MEMFMT_IR_COMPUTEOPS_TD
