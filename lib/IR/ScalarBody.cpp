//===- ScalarBody.cpp - blocks of scalar operations -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/ScalarBody.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;
using namespace memfmt;

/// Defined in the block, or a scalar constant.
static bool isReadable(Value value, Block &block) {
  if (value.getParentBlock() == &block)
    return true;
  return matchPattern(value, m_Constant()) && value.getType().isIntOrFloat();
}

bool memfmt::isScalarBody(Block &block) {
  auto readable = [&](Value value) { return isReadable(value, block); };
  for (Operation &op : block.without_terminator()) {
    bool constant = op.hasTrait<OpTrait::ConstantLike>();
    if (!constant && !OpTrait::hasElementwiseMappableTraits(&op))
      return false;
    for (Type type : op.getResultTypes())
      if (!type.isIntOrFloat())
        return false;
    if (op.getNumRegions() != 0 || !llvm::all_of(op.getOperands(), readable))
      return false;
  }
  return llvm::all_of(block.getTerminator()->getOperands(), readable);
}

SmallVector<Value> memfmt::cloneScalarBody(OpBuilder &builder, Block &block,
                                           IRMapping &mapping) {
  auto bring = [&](Value value) {
    if (!mapping.contains(value) && value.getParentBlock() != &block)
      mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
  };
  for (Operation &op : block.without_terminator()) {
    llvm::for_each(op.getOperands(), bring);
    builder.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands()) {
    bring(value);
    results.push_back(mapping.lookup(value));
  }
  return results;
}
