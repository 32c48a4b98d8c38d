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
}

#endif // MEMFMT_IR_COMPUTEINTERFACES_TD
