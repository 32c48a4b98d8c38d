//===- RaiseConcat.cpp - concatenation as insertions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Insertions that fill a tensor, one slice after the other along one axis, are
// a concatenation.
//
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// One piece along the axis of concatenation.
struct Piece {
  int64_t offset;
  Value value;
};

struct RaiseConcat : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    // Start at the last insertion of a chain.
    if (op->hasOneUse())
      if (auto next = dyn_cast<tensor::InsertSliceOp>(*op->user_begin()))
        if (next.getDest() == op.getResult())
          return failure();
    RankedTensorType type = op.getType();
    if (!type.hasStaticShape())
      return failure();
    SmallVector<Piece> pieces;
    int64_t axis = -1;
    Value dest = op.getResult();
    while (auto insert = dest.getDefiningOp<tensor::InsertSliceOp>()) {
      if (insert != op && !insert->hasOneUse())
        break;
      FailureOr<Piece> piece = matchPiece(insert, axis);
      if (failed(piece))
        return failure();
      pieces.push_back(*piece);
      dest = insert.getDest();
    }
    if (pieces.size() < 2)
      return failure();
    llvm::sort(pieces, [](const Piece &a, const Piece &b) {
      return a.offset < b.offset;
    });
    // Without gaps or overlaps nothing of the first tensor is left.
    int64_t end = 0;
    SmallVector<Value> values;
    for (const Piece &piece : pieces) {
      if (piece.offset != end)
        return failure();
      values.push_back(piece.value);
      end += cast<RankedTensorType>(piece.value.getType()).getDimSize(axis);
    }
    if (end != type.getDimSize(axis))
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, axis, values);
    return success();
  }

private:
  /// The slice spans all axes but one; `axis` is set to it, or must be it.
  static FailureOr<Piece> matchPiece(tensor::InsertSliceOp op, int64_t &axis) {
    RankedTensorType type = op.getType(), piece = op.getSourceType();
    auto offsets = getConstantIntValues(op.getMixedOffsets());
    if (!offsets || piece.getRank() != type.getRank() ||
        !piece.hasStaticShape() ||
        !llvm::all_of(op.getMixedStrides(), [](OpFoldResult stride) {
          return isConstantIntValue(stride, 1);
        }))
      return failure();
    for (int64_t i = 0, e = type.getRank(); i < e; ++i) {
      if (piece.getDimSize(i) == type.getDimSize(i) && (*offsets)[i] == 0)
        continue;
      if (axis >= 0 && axis != i)
        return failure();
      axis = i;
    }
    if (axis < 0 || piece.getDimSize(axis) == 0)
      return failure();
    return Piece{(*offsets)[axis], op.getSource()};
  }
};
} // namespace

void memfmt::populateConcatRecognisers(RewritePatternSet &patterns) {
  patterns.add<RaiseConcat>(patterns.getContext());
}
