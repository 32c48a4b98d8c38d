//===- ResultArguments.cpp - results written to the caller's memory -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Upstream's `buffer-results-to-out-params` does the same, but fails where a
// function returns one allocation twice (LLVM 22.1.8).
//
//===----------------------------------------------------------------------===//

#include "ResultArguments.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace memfmt;

/// The allocation behind a result if it can be the caller's memory instead: of
/// the same type and in the block that returns it.
static memref::AllocOp getOwnAllocation(Value value, Operation *returnOp) {
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == returnOp->getBlock() ? alloc
                                                            : memref::AllocOp();
}

LogicalResult memfmt::turnResultsIntoArguments(func::FuncOp function) {
  if (function.getNumResults() == 0)
    return success();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError(
        "expects one block when results become arguments");
  for (Type type : function.getResultTypes())
    if (!isa<MemRefType>(type))
      return function.emitOpError("expects tensors of known rank as results, "
                                  "found ")
             << type;
  Operation *returnOp = function.getBody().front().getTerminator();
  OpBuilder builder(returnOp);
  SmallVector<Value> values(returnOp->getOperands());
  for (Value value : values) {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, value.getType(), {},
                                       value.getLoc())))
      return failure();
    Value argument = function.getArgument(index);
    if (memref::AllocOp alloc = getOwnAllocation(value, returnOp)) {
      // A second return of it now returns the argument, and is copied.
      alloc.replaceAllUsesWith(argument);
      std::replace(values.begin(), values.end(), value, argument);
      alloc.erase();
      continue;
    }
    // `memref.copy` of strided buffers would call a library.
    linalg::CopyOp::create(builder, returnOp->getLoc(), value, argument);
  }
  returnOp->setOperands({});
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(), {}));
  function.setAllResultAttrs(ArrayRef<DictionaryAttr>());
  return success();
}
