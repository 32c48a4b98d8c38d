//===- Arith.cpp - constants in formats -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemFmtModels.h"
#include "PhysicalBuilder.h"
#include "memfmt/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace memfmt;

/// The same elements, in logical order, as a tensor without a format.
static ElementsAttr dropFormat(ElementsAttr elements, RankedTensorType plain) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(plain);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(plain, resource.getRawHandle());
  return {};
}

namespace {
/// The elements of a constant are written in logical order. What moves them
/// into the format is an operation on a constant: computed when the program is
/// compiled.
struct ConstantPhysical
    : MaterializeOpInterface::ExternalModel<ConstantPhysical,
                                            arith::ConstantOp> {
  FailureOr<SmallVector<Value>> materialize(Operation *op, OpBuilder &builder,
                                            ValueRange) const {
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !isEncoded(type))
      return SmallVector<Value>{builder.clone(*op)->getResult(0)};
    RankedTensorType plain = withFormat(type, {});
    ElementsAttr elements = dropFormat(
        cast<ElementsAttr>(cast<arith::ConstantOp>(op).getValue()), plain);
    if (!elements)
      return op->emitOpError("expects dense elements in the format of ")
             << type;
    Value constant = arith::ConstantOp::create(b, plain, elements);
    FailureOr<Value> value = convertPhysical(b, op, constant, plain, type);
    if (failed(value))
      return failure();
    return SmallVector<Value>{*value};
  }
};
} // namespace

void memfmt::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantPhysical>(*context);
  });
}
