//===- CompileTime.cpp - values known before the program runs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/CompileTime.h"

#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace memfmt;

bool CompileTimeAnalysis::isCompileTime(Value value) {
  if (isa<BlockArgument>(value))
    return false;
  // Depth first with a stack of its own: chains can be as long as a program.
  SmallVector<Operation *> stack = {value.getDefiningOp()};
  while (!stack.empty()) {
    Operation *op = stack.back();
    if (known.contains(op)) {
      stack.pop_back();
      continue;
    }
    bool answer = isMemoryEffectFree(op);
    size_t depth = stack.size();
    for (Value operand : op->getOperands()) {
      if (!answer)
        break;
      Operation *source = operand.getDefiningOp();
      if (!source)
        answer = false;
      else if (auto it = known.find(source); it != known.end())
        answer = it->second;
      else
        stack.push_back(source);
    }
    if (answer && stack.size() > depth)
      continue; // Decided after its operands.
    stack.resize(depth - 1);
    known[op] = answer;
  }
  return known[value.getDefiningOp()];
}

/// A tensor with data: neither made of nothing nor filled with one scalar.
static bool hasData(Value value) {
  Operation *op = value.getDefiningOp();
  return isa<TensorType>(value.getType()) &&
         (!op || op->hasTrait<OpTrait::ConstantLike>() ||
          llvm::any_of(op->getOperands(), hasData));
}

PreparedConstants memfmt::countPreparedConstants(ModuleOp module) {
  CompileTimeAnalysis analysis;
  PreparedConstants prepared;
  module.walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !analysis.isCompileTime(op->getResult(0)) ||
        llvm::none_of(op->getOperands(), hasData))
      return;
    bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user->getNumResults() == 0 ||
             !analysis.isCompileTime(user->getResult(0));
    });
    if (!isRead)
      return;
    ++prepared.count;
    prepared.bytes += getPhysicalBytes(type).value_or(0);
  });
  return prepared;
}

void memfmt::recordPreparedConstants(ModuleOp module, StringRef attribute) {
  PreparedConstants prepared = countPreparedConstants(module);
  Builder builder(module.getContext());
  module->setAttr(attribute,
                  builder.getDictionaryAttr(
                      {{"bytes", builder.getI64IntegerAttr(prepared.bytes)},
                       {"count", builder.getI64IntegerAttr(prepared.count)}}));
}
