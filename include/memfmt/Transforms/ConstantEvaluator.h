//===- ConstantEvaluator.h - operations on known tensors --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How operations are evaluated while compiling. The registry lives in the
// context, as a dialect interface of the memfmt dialect; an embedder adds
// operations to it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TRANSFORMS_CONSTANTEVALUATOR_H
#define MEMFMT_TRANSFORMS_CONSTANTEVALUATOR_H

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>
#include <vector>

namespace memfmt {

/// A tensor of static shape with known elements. Whatever format its type
/// declares, elements lie in row-major order of the logical shape, one byte for
/// each element of up to 8 bits. Scalars are tensors of rank 0.
class ConstantTensor {
public:
  /// The value of a constant: an integer, a float, a dense or dense resource
  /// tensor. Fails without an error for other attributes and resources without
  /// data, and with an error for a resource that does not fit its type.
  static mlir::FailureOr<ConstantTensor>
  get(mlir::Attribute attribute,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// A tensor to be written through `getMutableData`.
  static ConstantTensor allocate(mlir::RankedTensorType type);

  /// A tensor of equal elements; `element` is the bytes of one.
  static ConstantTensor getSplat(mlir::RankedTensorType type,
                                 llvm::ArrayRef<char> element);

  mlir::RankedTensorType getType() const { return type; }
  /// All elements are equal and `getData` is the bytes of one.
  bool isSplat() const { return splat; }
  llvm::ArrayRef<char> getData() const { return data; }
  /// Only for tensors from `allocate`.
  char *getMutableData();

  /// Bytes of one element of a type of numbers; none for other types.
  static std::optional<int64_t> getElementBytes(mlir::Type elementType);
  /// Bytes of all elements; none for a type that is not static, not of numbers,
  /// or too large to be counted.
  static std::optional<int64_t> getNumBytes(mlir::Type tensorType);

  /// The same bytes under a type of as many elements of the same type, nothing
  /// copied. Only for tensors from `get`.
  ConstantTensor withType(mlir::RankedTensorType other) const;

  /// The value of an `arith.constant`. Large tensors move their data into a
  /// resource whose name begins with `name`.
  mlir::TypedAttr release(llvm::StringRef name);

private:
  mlir::RankedTensorType type;
  bool splat = false;
  llvm::ArrayRef<char> data;
  /// What `data` lies in: an attribute, a resource to be, or `storage`.
  mlir::ElementsAttr source;
  std::optional<mlir::AsmResourceBlob> blob;
  std::vector<char> storage;
};

/// Computes a scalar operation for `count` elements. Elements of f32, bf16 and
/// f16 are `float`, of f64 `double`, of integers and index sign-extended
/// `int64_t`; results are rounded or wrapped to the type of the operation.
/// False where the operation has no defined result.
using ScalarFunction = std::function<bool(llvm::ArrayRef<const void *> operands,
                                          void *result, int64_t count)>;

/// Operations that can be evaluated, by name.
class ConstantEvaluators
    : public mlir::DialectInterface::Base<ConstantEvaluators> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConstantEvaluators)

  /// With the operations of this library.
  explicit ConstantEvaluators(mlir::Dialect *dialect);

  /// The registry of the context; the memfmt dialect must be loaded.
  static ConstantEvaluators &get(mlir::MLIRContext *context);

  /// Evaluates an operation; a null operand is a destination that is not read.
  /// Fails, without an error, where it cannot.
  using Evaluator =
      std::function<mlir::FailureOr<llvm::SmallVector<ConstantTensor, 1>>(
          mlir::Operation *op,
          llvm::ArrayRef<const ConstantTensor *> operands)>;

  struct Entry {
    Evaluator evaluate;
    /// The result is a splat when all operands are.
    bool keepsSplats;
  };

  void add(llvm::StringRef name, Evaluator evaluate, bool keepsSplats);

  /// Null for an operation that cannot be evaluated.
  const Entry *lookup(mlir::Operation *op) const;

  /// Chooses the function for an operation on scalars or, element by element,
  /// on tensors; null where types or attributes are not supported.
  using ScalarBinder = std::function<ScalarFunction(mlir::Operation *op)>;

  /// Adds a scalar operation: for bodies of `linalg` operations, and on
  /// tensors.
  void addScalar(llvm::StringRef name, ScalarBinder bind);

  ScalarFunction bindScalar(mlir::Operation *op) const;

private:
  llvm::StringMap<Entry> entries;
  llvm::StringMap<ScalarBinder> scalars;
};

/// Registers the evaluators with every context that loads the memfmt dialect
/// from `registry`.
void registerConstantEvaluators(mlir::DialectRegistry &registry);

} // namespace memfmt

#endif // MEMFMT_TRANSFORMS_CONSTANTEVALUATOR_H
