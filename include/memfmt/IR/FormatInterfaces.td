//===- FormatInterfaces.td - what a memory format answers --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_FORMATINTERFACES_TD
#define MEMFMT_IR_FORMATINTERFACES_TD

include "mlir/IR/OpBase.td"

def FormatAttrInterface : AttrInterface<"FormatAttrInterface"> {
  let description = [{
    The physical meaning of a format. Passes ask it and never switch over kinds
    of attributes.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        The physical order of the logical axes of a tensor of this rank, the
        outermost first, blocks left aside. Only for ranks that `servesRank`
        accepts.
      }], "::llvm::SmallVector<int64_t>", "getOrder", (ins "int64_t":$rank)>,
    InterfaceMethod<[{
        Inner blocks as (axis, size), outermost first; empty for most formats.
      }], "::llvm::SmallVector<std::pair<int64_t, int64_t>>", "getInnerBlocks">,
    InterfaceMethod<[{
        Strides of the logical axes in elements for a tensor of these sizes;
        dynamic where they depend on dynamic sizes. Products with a size of 0 are
        0, as PyTorch reports them. Fails for blocked formats and when a stride
        exceeds 63 bits.
      }], "::mlir::FailureOr<::llvm::SmallVector<int64_t>>", "getStrides",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
        Sizes of the dense physical tensor: axes in physical order, blocked axes
        divided (rounded up), then the blocks.
      }], "::llvm::SmallVector<int64_t>", "getPhysicalShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
        The same memory after the logical axes were renamed: new axis i is old
        axis `permutation[i]`. A null attribute is row-major.
      }], "::mlir::Attribute", "permuteAxes",
      (ins "::llvm::ArrayRef<int64_t>":$permutation)>,
    InterfaceMethod<"Whether a tensor of this rank can have this format.",
      "bool", "servesRank", (ins "int64_t":$rank)>,
    InterfaceMethod<"`servesRank` with an error that names the ranks allowed.",
      "::mlir::LogicalResult", "verifyForRank",
      (ins "int64_t":$rank,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
  ];
}

#endif // MEMFMT_IR_FORMATINTERFACES_TD
