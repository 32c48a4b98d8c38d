//===- Expression.h - element-wise formulas across operations ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Importers spread one formula over any number of element-wise operations. An
// expression is an element of a tensor as a function of its indices; it looks
// through element-wise generics, broadcasts and reshapes that add axes of size
// 1, so that a recogniser matches the formula and not its spelling.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RAISE_EXPRESSION_H
#define MEMFMT_LIB_RAISE_EXPRESSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace memfmt {

class ScalarEvaluator;

/// All loops parallel, one result per element of the loops.
bool isElementwise(mlir::linalg::GenericOp op);

/// A scalar constant, casts between floating-point types looked through. Null
/// where it is none, or where there is no scalar.
mlir::TypedAttr getScalarConstant(mlir::Value scalar);
/// The value with which a tensor is filled: by `linalg.fill`, or as a splat
/// constant. Null where it is not constant.
mlir::TypedAttr getFillValue(mlir::Value tensor);

/// A scalar as a function of the indices of the root, the tensor for which the
/// first expression was made.
class Expression {
public:
  Expression() = default;
  /// The element of a ranked tensor at its own indices.
  static Expression ofElement(mlir::Value tensor);

  /// The operation that computes the scalar, or null: an element that is read
  /// from memory, or a constant.
  mlir::Operation *getOp() const;
  template <typename OpT> OpT getOp() const {
    return llvm::dyn_cast_or_null<OpT>(getOp());
  }
  /// An operand of `getOp()`.
  Expression getOperand(unsigned index) const;

  /// The same scalar, read in the same way.
  bool operator==(const Expression &other) const {
    return entry == other.entry && entryMap == other.entryMap &&
           scalar == other.scalar && context == other.context &&
           contextMap == other.contextMap;
  }

  /// The constant that the scalar is at all indices, casts between
  /// floating-point types looked through; null where it is none.
  mlir::TypedAttr getConstant() const { return constant; }
  mlir::FailureOr<double> getConstantDouble() const;

  /// The value at given indices of the root, null where it is not known; and
  /// the indices of the root on which it depends, one bit each.
  mlir::Attribute evaluate(ScalarEvaluator &evaluator,
                           llvm::ArrayRef<int64_t> indices) const;
  uint64_t getDependences(ScalarEvaluator &evaluator) const;

  /// The tensor that was read, whatever computes it, broadcasts and reshapes
  /// looked through, and its indices in terms of those of the root. Null where
  /// the scalar exists in no tensor.
  mlir::Value getTensor() const { return tensor; }
  mlir::AffineMap getMap() const { return map; }
  /// The tensor where it has the indices of the root, else null.
  mlir::Value getIdentityTensor() const;
  /// Whether a tensor between the root and this scalar has other readers.
  bool isShared() const { return shared; }

private:
  static Expression read(mlir::Value tensor, mlir::AffineMap map, bool shared);
  Expression inside(mlir::Value scalar, mlir::linalg::GenericOp context,
                    mlir::AffineMap contextMap) const;

  mlir::Value entry, tensor; // as read; behind reshapes and broadcasts
  mlir::AffineMap entryMap, map;
  mlir::Value scalar;
  mlir::linalg::GenericOp context;
  mlir::AffineMap contextMap;
  mlir::TypedAttr constant;
  bool shared = false;
};

/// The operands of a product, nested products flattened up to a small number.
void collectFactors(const Expression &product,
                    llvm::SmallVectorImpl<Expression> &factors);

/// A value for each channel that an element-wise operation reads along one axis
/// only: a tensor with one axis of another size than 1, or a constant.
struct ChannelOperand {
  mlir::Value tensor;
  mlir::TypedAttr splat;
  int64_t channels = 0;

  mlir::Type getElementType() const {
    return splat ? splat.getType()
                 : mlir::getElementTypeOrSelf(tensor.getType());
  }
  /// The values as a vector (C).
  mlir::Value createVector(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// The scalar as a value for each channel, where `axis` of the root, of static
/// size `channels`, is the axis of channels.
mlir::FailureOr<ChannelOperand>
matchChannelOperand(const Expression &scalar, int64_t axis, int64_t channels);

} // namespace memfmt

#endif // MEMFMT_LIB_RAISE_EXPRESSION_H
