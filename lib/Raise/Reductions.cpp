//===- Reductions.cpp - reductions that formulas read -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Recognisers.h"

using namespace mlir;
using namespace memfmt;

/// The kind where one result of the body is the sum or the maximum of the
/// element and what is there, and starts from its neutral.
static std::optional<Reduction::Kind> getKind(linalg::GenericOp op,
                                              unsigned result) {
  Block &body = *op.getBody();
  Operation *combine = body.getTerminator()->getOperand(result).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp>(combine))
    return std::nullopt;
  Value element = body.getArgument(0), before = body.getArgument(1 + result);
  Value a = combine->getOperand(0), b = combine->getOperand(1);
  if (!(a == element && b == before) && !(a == before && b == element))
    return std::nullopt;
  TypedAttr start = getFillValue(op.getDpsInits()[result]);
  if (isa<arith::AddFOp>(combine))
    return isZero(start) ? std::optional(Reduction::sum) : std::nullopt;
  return isNegativeInfinity(start) ? std::optional(Reduction::max)
                                   : std::nullopt;
}

FailureOr<Reduction> memfmt::matchReduction(const Expression &scalar,
                                            int64_t rank) {
  auto value = dyn_cast_or_null<OpResult>(scalar.getTensor());
  auto op = value ? dyn_cast<linalg::GenericOp>(value.getOwner())
                  : linalg::GenericOp();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumLoops() != rank || op.getNumReductionLoops() == 0)
    return failure();
  std::optional<Reduction::Kind> kind = getKind(op, value.getResultNumber());
  if (!kind ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
    return failure();
  Reduction reduction{*kind, op.getInputs()[0], {}};
  auto input = cast<RankedTensorType>(reduction.input.getType());
  for (auto [axis, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      reduction.axes.push_back(axis);
  // Kept axis i is read at index i of the root; of size 1, at 0.
  AffineMap map =
      op.getMatchingIndexingMap(op.getDpsInitOperand(value.getResultNumber()));
  unsigned kept =
      llvm::count_if(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  if (kept != op.getNumParallelLoops())
    return failure();
  for (auto [expr, index] :
       llvm::zip_equal(map.getResults(), scalar.getMap().getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (dim ? dim.getPosition() != loop.getPosition()
            : input.getDimSize(loop.getPosition()) != 1)
      return failure();
  }
  return reduction;
}

FailureOr<Reduction> memfmt::matchMean(const Expression &scalar, int64_t rank) {
  if (!scalar.getOp<arith::DivFOp>())
    return failure();
  FailureOr<double> divisor = scalar.getOperand(1).getConstantDouble();
  FailureOr<Reduction> sum = matchReduction(scalar.getOperand(0), rank);
  if (failed(divisor) || failed(sum) || sum->kind != Reduction::sum)
    return failure();
  double count = 1;
  for (int64_t axis : sum->axes)
    count *= cast<RankedTensorType>(sum->input.getType()).getDimSize(axis);
  if (count != *divisor)
    return failure();
  return sum;
}
