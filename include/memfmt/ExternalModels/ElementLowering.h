//===- ElementLowering.h - loops over the elements of a result --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_EXTERNALMODELS_ELEMENTLOWERING_H
#define MEMFMT_EXTERNALMODELS_ELEMENTLOWERING_H

#include "memfmt/ExternalModels/ScalarBuilder.h"
#include "memfmt/IR/ComputeInterfaces.h"

namespace memfmt {

/// The reference lowering of an operation that answers `ElementOpInterface`:
/// for each result a `linalg.generic` over its physical shape, which reads
/// operands element by element at the addresses that their formats give.
/// Nothing is converted. Padding of blocks is set to zero and never read.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
materializeElements(mlir::Operation *op, mlir::OpBuilder &builder,
                    mlir::ValueRange operands);

/// The two models of such an operation; `ModelT` has a static method
/// `build(OpT, ScalarBuilder &, unsigned result, ValueRange indices, const
/// ElementReader &)`.
template <typename ModelT, typename OpT>
struct ElementModel
    : ElementOpInterface::ExternalModel<ElementModel<ModelT, OpT>, OpT> {
  mlir::Value buildElement(mlir::Operation *op,
                           mlir::ImplicitLocOpBuilder &builder, unsigned result,
                           mlir::ValueRange indices,
                           const ElementReader &reader) const {
    ScalarBuilder scalars(builder);
    return ModelT::build(mlir::cast<OpT>(op), scalars, result, indices, reader);
  }
};

template <typename OpT>
struct ElementMaterialize
    : MaterializeOpInterface::ExternalModel<ElementMaterialize<OpT>, OpT> {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  materialize(mlir::Operation *op, mlir::OpBuilder &builder,
              mlir::ValueRange operands) const {
    return materializeElements(op, builder, operands);
  }
};

/// Gives operations of one definition their reference lowering.
template <typename ModelT, typename... Ops>
void attachElements(mlir::MLIRContext *context) {
  (Ops::template attachInterface<ElementModel<ModelT, Ops>,
                                 ElementMaterialize<Ops>>(*context),
   ...);
}

} // namespace memfmt

#endif // MEMFMT_EXTERNALMODELS_ELEMENTLOWERING_H
