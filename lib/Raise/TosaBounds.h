//===- TosaBounds.h - between which numbers a tensor lies -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_TOSABOUNDS_H
#define MEMFMT_LIB_RAISE_TOSABOUNDS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace memfmt {

/// All elements of a tensor lie between these, both included.
struct Bounds {
  double low, high;
};

/// Bounds of what TOSA computes from constants: indices of gathers. Elements
/// are i1, i8, i32, i64 or f32; operations round as the program would.
class TosaBounds {
public:
  /// Nothing where an operand is not known, or a result may leave its type.
  std::optional<Bounds> get(mlir::Value value);

private:
  std::optional<Bounds> compute(mlir::Operation *op);
  std::optional<Bounds> computeBinary(mlir::Operation *op, Bounds a, Bounds b);

  llvm::DenseMap<mlir::Value, std::optional<Bounds>> known;
};

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_TOSABOUNDS_H
