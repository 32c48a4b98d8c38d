//===- Signature.h - what a program is called with --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_SIGNATURE_H
#define MEMFMT_RUNTIME_SIGNATURE_H

#include "memfmt/Runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace memfmt::runtime {

/// One tensor of a signature: logical shape, and strides in elements of the
/// declared format, in logical order.
struct TensorSpec {
  ElementType type;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;

  bool isRowMajor() const;
  std::string getTypeName() const;
};

/// The public function of a module before kernels are chosen: types carry their
/// formats.
struct Signature {
  std::string symbol;
  std::vector<TensorSpec> inputs, outputs;

  /// Fails with an error unless there is one public function, on tensors of
  /// static shape whose formats have strides.
  static mlir::FailureOr<Signature> read(mlir::ModuleOp module);
};

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_SIGNATURE_H
