//===- MemFmt.h - the memfmt dialect ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_MEMFMT_H
#define MEMFMT_IR_MEMFMT_H

#include "memfmt/IR/ComputeInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "memfmt/IR/FormatInterfaces.h.inc"
#include "memfmt/IR/MemFmtDialect.h.inc"
#include "memfmt/IR/MemFmtEnums.h.inc"

namespace memfmt {
/// Whether types of results are those that were inferred: shapes that agree
/// where both are static, equal element types; formats are free.
bool areLogicallyCompatible(mlir::TypeRange inferred, mlir::TypeRange found);

/// Fails with the one error that says which types were expected.
llvm::LogicalResult reportInferredTypes(mlir::Operation *op,
                                        mlir::TypeRange inferred);

/// Checks result types against those that an operation infers.
template <typename ConcreteType>
class VerifyInferredTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, VerifyInferredTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    llvm::SmallVector<mlir::Type> inferred;
    typename ConcreteType::Adaptor adaptor(
        op->getOperands(), op->getDiscardableAttrDictionary(),
        op->getPropertiesStorage(), op->getRegions());
    if (mlir::failed(ConcreteType::inferReturnTypes(
            op->getContext(), op->getLoc(), adaptor, inferred)))
      return mlir::failure();
    if (ConcreteType::isCompatibleReturnTypes(inferred, op->getResultTypes()))
      return mlir::success();
    return reportInferredTypes(op, inferred);
  }
};
} // namespace memfmt

#define GET_ATTRDEF_CLASSES
#include "memfmt/IR/MemFmtAttrs.h.inc"
#define GET_OP_CLASSES
#include "memfmt/IR/MemFmtOps.h.inc"

#endif // MEMFMT_IR_MEMFMT_H
