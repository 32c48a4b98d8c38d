//===- RaisePad.cpp - padding of windows ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recognisers.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// Constant padding of the spatial axes, static on both sides.
struct SpatialPadding {
  SmallVector<int64_t> low, high;
};
} // namespace

static FailureOr<SpatialPadding> getSpatialPadding(tensor::PadOp pad) {
  auto low = getConstantIntValues(pad.getMixedLowPad());
  auto high = getConstantIntValues(pad.getMixedHighPad());
  if (!low || !high || pad.getNofold() || low->size() < 3)
    return failure();
  for (int64_t axis : {0, 1})
    if ((*low)[axis] != 0 || (*high)[axis] != 0)
      return failure();
  auto isNegative = [](int64_t size) { return size < 0; };
  if (llvm::any_of(*low, isNegative) || llvm::any_of(*high, isNegative))
    return failure();
  return SpatialPadding{SmallVector<int64_t>(llvm::drop_begin(*low, 2)),
                        SmallVector<int64_t>(llvm::drop_begin(*high, 2))};
}

namespace {
/// Padding before an operation becomes its own padding, where it reads as what
/// the operation pads with.
template <typename OpT> struct FoldPad : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<tensor::PadOp>();
    if (!pad || !readsAs(op, getScalarConstant(pad.getConstantPaddingValue())))
      return failure();
    FailureOr<SpatialPadding> padding = getSpatialPadding(pad);
    if (failed(padding))
      return failure();
    auto sum = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
      return llvm::map_to_vector(llvm::zip_equal(a, b), [](auto pair) {
        return std::get<0>(pair) + std::get<1>(pair);
      });
    };
    rewriter.modifyOpInPlace(op, [&] {
      op.setPadLow(sum(op.getPadLow(), padding->low));
      op.setPadHigh(sum(op.getPadHigh(), padding->high));
      op.getInputMutable().assign(pad.getSource());
    });
    return success();
  }

private:
  static bool readsAs(ConvOp, Attribute value) { return isZero(value); }
  static bool readsAs(PoolOp pool, Attribute value) {
    if (pool.getKind() == PoolKind::max)
      return isNegativeInfinity(value);
    // An average that leaves its padding out would leave this out, too.
    return isZero(value) && !pool.getExcludePad();
  }
};
} // namespace

void memfmt::populatePadRecognisers(RewritePatternSet &patterns) {
  patterns.add<FoldPad<ConvOp>, FoldPad<PoolOp>>(patterns.getContext());
}
