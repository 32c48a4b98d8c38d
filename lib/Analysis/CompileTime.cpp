//===- CompileTime.cpp - values known before the program runs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/CompileTime.h"

#include "mlir/IR/Operation.h"
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
