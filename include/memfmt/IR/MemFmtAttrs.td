//===- MemFmtAttrs.td - memory formats as attributes -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_MEMFMTATTRS_TD
#define MEMFMT_IR_MEMFMTATTRS_TD

include "memfmt/IR/MemFmtBase.td"
include "memfmt/IR/FormatInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class MemFmt_FormatBase<string name, string attrMnemonic>
    : AttrDef<MemFmt_Dialect, name, [
        DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
        DeclareAttrInterfaceMethods<FormatAttrInterface>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def MemFmt_FormatAttr : MemFmt_FormatBase<"Format", "format"> {
  let summary = "physical order of the logical axes, with inner blocks";
  let description = [{
    `#memfmt.format<channels_last>` serves ranks 3, 4 and 5 (NWC, NHWC, NDHWC).
    `#memfmt.format<[0, 2, 3, 1]>` is any permutation, outermost axis first, and
    becomes the name where one exists. `blocks = [1 : 16]` splits axis 1 and puts
    an inner block of 16 innermost; several blocks are listed outermost first.
    Sizes that a block does not divide are padded; what the padding holds is
    never observed. The sizes of all blocks together multiply to at most 2^31.
    The identity order without blocks is no format: the tensor is row-major.
    ```mlir
    tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
    tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "physical order; empty for channels_last">:$order,
    ArrayRefParameter<"int64_t", "axis of each block">:$block_axes,
    ArrayRefParameter<"int64_t", "size of each block">:$block_sizes);
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$order,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$block_axes,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$block_sizes), [{
      return $_get($_ctxt, getCanonicalOrder(order, block_axes), block_axes,
                   block_sizes);
    }]>,
  ];
  let extraClassDeclaration = [{
    /// Empty where `channels_last` names the format, else `order`: every format
    /// has one attribute, however it was spelled.
    static ::llvm::ArrayRef<int64_t>
    getCanonicalOrder(::llvm::ArrayRef<int64_t> order,
                      ::llvm::ArrayRef<int64_t> blockAxes);
    /// True for the rank-free name.
    bool isChannelsLast() const { return getOrder().empty(); }
    /// True for the identity without blocks, which is no format at all.
    bool isRowMajor() const;
  }];
}

def MemFmt_StridedAttr : MemFmt_FormatBase<"Strided", "strided"> {
  let summary = "arbitrary strides of the logical axes";
  let description = [{
    Strides and offset in elements: `?` is dynamic, 0 an expanded axis, a negative
    stride a flipped one. For views and the ABI.
    ```mlir
    tensor<2x3x4x5xf32, #memfmt.strided<[60, 1, 15, 3], offset: 0>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "stride of each logical axis">:$strides,
    "int64_t":$offset);
}

#endif // MEMFMT_IR_MEMFMTATTRS_TD
