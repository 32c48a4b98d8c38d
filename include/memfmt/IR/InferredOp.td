//===- InferredOp.td - operations that infer their shapes --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_INFERREDOP_TD
#define MEMFMT_IR_INFERREDOP_TD

include "memfmt/IR/ComputeInterfaces.td"
include "memfmt/IR/MemFmtBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Result types are those that the operation infers, see `MemFmt_InferTypes`.
def VerifyInferredTypes : NativeOpTrait<"VerifyInferredTypes"> {
  let cppNamespace = "::memfmt";
}

/// The methods of `InferTypeOpInterface`, so that builders need no result types.
/// Verification is by our own trait: upstream's emits a second error after the one
/// that says what is wrong.
def MemFmt_InferTypes : TraitList<[
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    NativeOpTrait<"InferTypeOpAdaptor", [], [{
        static ::llvm::LogicalResult
        inferReturnTypes(::mlir::MLIRContext *context,
                         std::optional<::mlir::Location> location, Adaptor adaptor,
                         ::llvm::SmallVectorImpl<::mlir::Type> &types);
        static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange found);
        static ::llvm::LogicalResult refineReturnTypes(
            ::mlir::MLIRContext *, std::optional<::mlir::Location>,
            ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
            ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &);
      }], [{
        ::llvm::LogicalResult $cppClass::inferReturnTypes(
            ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
            ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
            ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
            ::llvm::SmallVectorImpl<::mlir::Type> &types) {
          $cppClass::Adaptor adaptor(operands, attributes, properties, regions);
          return $cppClass::inferReturnTypes(context, location, adaptor, types);
        }
        ::llvm::LogicalResult $cppClass::refineReturnTypes(
            ::mlir::MLIRContext *, std::optional<::mlir::Location>,
            ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
            ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
          return ::mlir::success();
        }
      }]>,
    VerifyInferredTypes]>;

/// An operation whose result types follow from operands and attributes, formats
/// aside. Formats are given to results by propagation.
class MemFmt_InferredOp<string mnemonic, list<Trait> traits = []>
    : Op<MemFmt_Dialect, mnemonic, !listconcat([Pure,
        MemFmt_InferTypes], traits)> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange found) {
      return ::memfmt::areLogicallyCompatible(inferred, found);
    }
  }];
}

/// The same, with an answer to which tensors share a format.
class MemFmt_PortedOp<string mnemonic, list<Trait> traits = []>
    : MemFmt_InferredOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<FormatOpInterface>], traits)>;

/// The same, for operations whose price is that of a pass over their tensors.
class MemFmt_AgnosticOp<string mnemonic, list<Trait> traits = []>
    : MemFmt_InferredOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<FormatOpInterface, ["isFormatAgnostic"]>],
        traits)> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange found) {
      return ::memfmt::areLogicallyCompatible(inferred, found);
    }
    bool $cppClass::isFormatAgnostic() { return true; }
  }];
}

#endif // MEMFMT_IR_INFERREDOP_TD
