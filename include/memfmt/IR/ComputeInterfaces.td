//===- ComputeInterfaces.td - what operations say of formats -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_COMPUTEINTERFACES_TD
#define MEMFMT_IR_COMPUTEINTERFACES_TD

include "mlir/IR/OpBase.td"

def FormatOpInterface : OpInterface<"FormatOpInterface"> {
  let description = [{
    What an operation says of the memory formats of its operands and results.

    A *port* is a group of operands and results that share one format: their
    logical axes are the same axes, so one label serves them all. A plain
    element-wise operation has one port; a convolution has one for its input
    and one for its result. Tensors that belong to no port are row-major.

    An operation that does not implement the interface is conservative: all its
    tensors are row-major.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        The ports of the operation. All members of a port have the same rank.
        Ports are ordered: inputs before results. The order is part of the
        contract with the kernels (`FormatKernel::cost`).
      }],
      "::llvm::SmallVector<::memfmt::FormatPort>", "getFormatPorts">,
    InterfaceMethod<[{
        True when the reference lowering of the operation runs equally well in
        every format that is common to all its ports (element-wise operations,
        concatenation, padding). Then the cost is that of its memory traffic.
      }],
      "bool", "isFormatAgnostic", (ins), "", "return false;">,
    InterfaceMethod<[{
        Scalar operations of one execution, where they outweigh a pass over the
        tensors (the products of a convolution); 0 elsewhere. Dynamic sizes count
        as 1.
      }],
      "double", "getNumScalarOps", (ins), "", "return 0;">,
  ];
}

def MaterializeOpInterface : OpInterface<"MaterializeOpInterface"> {
  let description = [{
    An operation that can be carried out by upstream operations on physical
    tensors. For the operations of this dialect and for upstream ones the
    answers are external models (room `ExternalModels`).
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        The plain reference lowering on physical tensors: `operands` are the
        physical forms (`getPhysicalType`) of the operands, whose encoded types
        are still those of the operation. Builds upstream `linalg`, `tensor` and
        `arith` operations and returns the physical results. Fails with a
        diagnostic on the operation when a format has no lowering.
      }],
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "materialize",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def EpilogueOpInterface : OpInterface<"EpilogueOpInterface"> {
  let description = [{
    An operation whose result passes through an element-wise *epilogue* while
    it is still in registers. The epilogue is a region with one block: its first
    argument is the accumulated element, the others are the elements of the
    epilogue operands at the same place; it yields the stored element. An
    empty region stores the accumulator.

    The accumulated element is of the element type of the input or of the type
    in which that one is summed (`getSumType`: f32 for bf16 and f16), rounded
    once where it is narrower than the sum.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<"The epilogue region.", "::mlir::Region &",
                    "getEpilogueRegion">,
    InterfaceMethod<"The operands that the epilogue reads.",
                    "::mlir::OperandRange", "getEpilogueOperands">,
    InterfaceMethod<"The same operands, to be appended to.",
                    "::mlir::MutableOperandRange",
                    "getMutableEpilogueOperands">,
  ];
  let extraSharedClassDeclaration = [{
    /// The type of the accumulated element that the epilogue is given.
    ::mlir::Type getAccumulatedType() {
      ::mlir::Region &region = $_op.getEpilogueRegion();
      if (region.empty())
        return ::mlir::getElementTypeOrSelf($_op->getResult(0).getType());
      return region.front().getArgument(0).getType();
    }
  }];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let description = [{
    An operation whose result 0 is the memory of operand 0 under other axes,
    where strides can express that. Under the `torch` policy it is a view; under
    the `symmetric` policy its result keeps the format of the operand where the
    strides of the view are those of a dense format.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        The layout of the result in the memory of the operand; none where strides
        cannot express it, so that the elements must be copied.
      }], "std::optional<::memfmt::StridedLayout>", "getViewLayout",
      (ins "const ::memfmt::StridedLayout &":$source)>,
  ];
}

def TorchLayoutOpInterface : OpInterface<"TorchLayoutOpInterface"> {
  let description = [{
    The strides that eager PyTorch gives the results of an operation: the rule of
    the `torch` policy. All rules are held against rows made by running PyTorch.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        `operands` has one layout for each operand (rank 0 where the operand is no
        tensor), all sizes and strides known. `results` comes with the sizes of
        the results; the rule fills in strides and offsets. Fails with an error on
        the operation where PyTorch raises one.
      }], "::llvm::LogicalResult", "inferTorchLayouts",
      (ins "::llvm::ArrayRef<::memfmt::StridedLayout>":$operands,
           "::llvm::MutableArrayRef<::memfmt::StridedLayout>":$results)>,
  ];
}

def DeclaredFormatOpInterface : OpInterface<"DeclaredFormatOpInterface"> {
  let description = [{
    An operation that says the format of its result itself, whatever the formats
    of its operands.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        The declared format, null for row-major; none when the result follows
        operand 0 (option `preserve`).
      }], "std::optional<::mlir::Attribute>", "getDeclaredFormat">,
  ];
}

def FormatQueryOpInterface : OpInterface<"FormatQueryOpInterface"> {
  let description = [{
    A question about the layout of operand 0 with one result, a truth value. It
    speaks about the program as written: propagation replaces it by its answer,
    before assignment is free to change formats.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<"The answer where the type of the operand decides.",
      "std::optional<bool>", "getAnswer">,
  ];
}

def ElementOpInterface : OpInterface<"ElementOpInterface"> {
  let description = [{
    An operation whose result is defined element by element. This is the whole
    of its reference lowering: `materialize` loops over the physical result and
    reads operands at the addresses that their formats give, so one definition
    serves every format.
  }];
  let cppNamespace = "::memfmt";
  let methods = [
    InterfaceMethod<[{
        Builds the element of result `result` at the logical `indices`. `read`
        gives the element of an operand at logical indices, which must be inside
        its shape; `size` gives the size of an axis of an operand.
      }], "::mlir::Value", "buildElement",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "unsigned":$result,
           "::mlir::ValueRange":$indices,
           "const ::memfmt::ElementReader &":$reader)>,
  ];
}

#endif // MEMFMT_IR_COMPUTEINTERFACES_TD
