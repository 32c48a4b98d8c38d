//===- Signature.cpp - what a program is called with ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Signature.h"

#include "memfmt/IR/Format.h"
#include "memfmt/Runtime/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace memfmt;
using namespace memfmt::runtime;

bool TensorSpec::isRowMajor() const {
  int64_t expected = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

std::string TensorSpec::getTypeName() const {
  std::string name;
  for (int64_t size : shape)
    name += std::to_string(size) + "x";
  return name + getElementTypeName(type).str();
}

static FailureOr<TensorSpec> getSpec(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitError("expects tensors of static shape as arguments and "
                         "results of a program, found ")
           << type;
  std::optional<ElementType> element = getHostType(tensor.getElementType());
  if (!element)
    return op->emitError("expects integers of 1, 8, 16, 32 or 64 bits or "
                         "floats of 16, 32 or 64 bits as arguments and results "
                         "of a program, found ")
           << type;
  TensorSpec spec;
  spec.type = *element;
  spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  spec.strides.resize(spec.shape.size());
  if (FormatAttrInterface format = getFormat(tensor)) {
    FailureOr<SmallVector<int64_t>> strides =
        format.getStrides(tensor.getShape());
    if (failed(strides))
      return op->emitError("expects formats with strides at the boundary of a "
                           "program, found ")
             << type;
    spec.strides = *strides;
    return spec;
  }
  int64_t stride = 1;
  for (int64_t axis = spec.shape.size() - 1; axis >= 0; --axis) {
    spec.strides[axis] = stride;
    stride *= spec.shape[axis];
  }
  return spec;
}

/// The one public function of a module.
static FailureOr<func::FuncOp> findProgram(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (functions.size() == 1)
    return functions.front();
  if (functions.empty())
    return module.emitError("has no public function to run");
  InFlightDiagnostic diagnostic = module.emitError(
      "has several public functions; make all but one private:");
  for (func::FuncOp function : functions)
    diagnostic << " @" << function.getName();
  return diagnostic;
}

FailureOr<Signature> Signature::read(ModuleOp module) {
  FailureOr<func::FuncOp> function = findProgram(module);
  if (failed(function))
    return failure();
  Signature signature;
  signature.symbol = function->getName().str();
  for (auto [types, specs] :
       {std::pair(function->getArgumentTypes(), &signature.inputs),
        std::pair(function->getResultTypes(), &signature.outputs)})
    for (Type type : types) {
      FailureOr<TensorSpec> spec = getSpec(*function, type);
      if (failed(spec))
        return failure();
      specs->push_back(*spec);
    }
  return signature;
}
