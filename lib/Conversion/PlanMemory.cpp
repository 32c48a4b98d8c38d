//===- PlanMemory.cpp - one arena instead of allocations --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace memfmt {
#define GEN_PASS_DEF_PLANMEMORY
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// Kernels rely on this alignment of every buffer, in bytes.
static constexpr int64_t kAlignment = 64;

namespace {
/// One allocation: its size and the range of operations of the entry block that
/// it must outlive, both ends included.
struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t offset = 0;

  bool overlaps(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};
} // namespace

/// Bytes of a static memref, or an error that names the operation.
static FailureOr<int64_t> getStaticBytes(Operation *op, MemRefType type) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op->emitOpError("expects buffers of static shape and row-major "
                           "layout when memory is planned, found ")
           << type;
  if (!type.getElementType().isIntOrIndexOrFloat())
    return op->emitOpError("expects buffers of numbers when memory is planned, "
                           "found ")
           << type;
  __int128 bytes = type.getElementType().isIndex()
                       ? 8
                       : llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape()) {
    bytes *= size;
    if (bytes > (int64_t(1) << 46))
      return op->emitOpError("expects buffers of at most 64 TiB, found ")
             << type;
  }
  return llvm::alignTo(static_cast<int64_t>(bytes), kAlignment);
}

/// All operations that may touch the memory of `buffer`, through views too.
/// Fails where the buffer escapes into an operation with regions that passes it
/// on (a loop-carried buffer).
static void collectUsers(Value buffer, SetVector<Operation *> &users) {
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (!users.insert(user))
        continue;
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          worklist.push_back(result);
      // A yielded buffer lives on as a result of the parent.
      if (user->hasTrait<OpTrait::IsTerminator>())
        if (Operation *parent = user->getParentOp();
            !isa<func::FuncOp>(parent) && users.insert(parent))
          for (Value result : parent->getResults())
            if (isa<BaseMemRefType>(result.getType()))
              worklist.push_back(result);
    }
  }
}

/// Numbers the operations of the entry block and derives the live range of each
/// allocation. Allocations inside nested regions live as long as the operation
/// of the entry block around them.
static FailureOr<SmallVector<Buffer>> collectBuffers(func::FuncOp func) {
  Block &entry = func.getBody().front();
  llvm::DenseMap<Operation *, int64_t> number;
  int64_t count = 0;
  for (Operation &op : entry)
    number[&op] = count++;
  bool straight = func.getBody().hasOneBlock();

  SmallVector<Buffer> buffers;
  WalkResult result = func.walk([&](memref::AllocOp alloc) {
    FailureOr<int64_t> bytes = getStaticBytes(alloc, alloc.getType());
    if (failed(bytes))
      return WalkResult::interrupt();
    Buffer buffer{alloc, *bytes, 0, count, 0};
    Operation *home = entry.findAncestorOpInBlock(*alloc);
    if (straight && home) {
      SetVector<Operation *> users;
      collectUsers(alloc.getResult(), users);
      buffer.first = buffer.last = number[home];
      for (Operation *user : users)
        if (Operation *top = entry.findAncestorOpInBlock(*user))
          buffer.last = std::max(buffer.last, number[top]);
    }
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

/// The largest sum of sizes that are live at once: no plan can need less.
static int64_t getLowerBound(ArrayRef<Buffer> buffers) {
  int64_t bound = 0;
  for (const Buffer &at : buffers) {
    int64_t live = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.first <= at.first && at.first <= buffer.last)
        live += buffer.bytes;
    bound = std::max(bound, live);
  }
  return bound;
}

/// Largest first, each at the lowest offset that is free over its live range.
/// Returns the size of the arena.
static int64_t assignOffsets(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(order, [](const Buffer *a, const Buffer *b) {
    return a->bytes > b->bytes;
  });
  int64_t size = 0;
  SmallVector<Buffer *> placed;
  for (Buffer *buffer : order) {
    SmallVector<Buffer *> busy;
    llvm::copy_if(placed, std::back_inserter(busy),
                  [&](Buffer *other) { return other->overlaps(*buffer); });
    llvm::stable_sort(busy, [](const Buffer *a, const Buffer *b) {
      return a->offset < b->offset;
    });
    int64_t offset = 0;
    for (Buffer *other : busy) {
      if (offset + buffer->bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer->offset = offset;
    placed.push_back(buffer);
    size = std::max(size, offset + buffer->bytes);
  }
  return size;
}

/// A view of `base` (bytes) of type `type` at a constant offset.
static Value createView(OpBuilder &builder, Location loc, Value base,
                        int64_t offset, MemRefType type) {
  Value at = arith::ConstantIndexOp::create(builder, loc, offset);
  return memref::ViewOp::create(builder, loc, type, base, at, ValueRange());
}

namespace {
struct PlanMemory : memfmt::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(plan(func)))
        return signalPassFailure();
    eraseGlobals();
  }

private:
  /// Appends the arena and the constants to the arguments of `func` and turns
  /// allocations and uses of globals into views of them.
  LogicalResult plan(func::FuncOp func);
  LogicalResult placeGlobal(memref::GetGlobalOp op, Value constants);
  void eraseGlobals();

  llvm::MapVector<StringAttr, int64_t> globals;
  int64_t constantBytes = 0;
};
} // namespace

LogicalResult PlanMemory::plan(func::FuncOp func) {
  // Arena and constants are arguments of the entry.
  WalkResult calls = func.walk([](CallOpInterface call) {
    call->emitOpError("is a call that could not be inlined; memory is planned "
                      "for one function");
    return WalkResult::interrupt();
  });
  if (calls.wasInterrupted())
    return failure();
  FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func);
  if (failed(buffers))
    return failure();
  int64_t bytes = assignOffsets(*buffers);

  OpBuilder builder(func.getBody());
  auto byteBuffer = [&](int64_t size) {
    return MemRefType::get({size}, builder.getI8Type());
  };
  unsigned index = func.getNumArguments();
  // The size of the constants is known only after all functions are planned.
  auto dynamicBytes = byteBuffer(ShapedType::kDynamic);
  if (failed(
          func.insertArgument(index, byteBuffer(bytes), {}, func.getLoc())) ||
      failed(func.insertArgument(index + 1, dynamicBytes, {}, func.getLoc())))
    return failure();
  Value arena = func.getArgument(index),
        constants = func.getArgument(index + 1);

  for (Buffer &buffer : *buffers) {
    builder.setInsertionPoint(buffer.alloc);
    Value view = createView(builder, buffer.alloc.getLoc(), arena,
                            buffer.offset, buffer.alloc.getType());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
  func.walk([](memref::DeallocOp op) { op.erase(); });
  WalkResult result = func.walk([&](memref::GetGlobalOp op) {
    return WalkResult(placeGlobal(op, constants));
  });
  if (result.wasInterrupted())
    return failure();

  func->setAttr("memfmt.arena_bytes", builder.getI64IntegerAttr(bytes));
  func->setAttr("memfmt.arena_lower_bound",
                builder.getI64IntegerAttr(getLowerBound(*buffers)));
  arenaBytes += bytes;
  return success();
}

LogicalResult PlanMemory::placeGlobal(memref::GetGlobalOp op, Value constants) {
  auto type = cast<MemRefType>(op.getType());
  FailureOr<int64_t> bytes = getStaticBytes(op, type);
  if (failed(bytes))
    return failure();
  auto [it, inserted] =
      globals.try_emplace(op.getNameAttr().getAttr(), constantBytes);
  if (inserted)
    constantBytes += *bytes;
  OpBuilder builder(op);
  Value view = createView(builder, op.getLoc(), constants, it->second, type);
  op.replaceAllUsesWith(view);
  op.erase();
  return success();
}

/// Moves the values of all placed globals into the module attribute
/// `memfmt.constants`: an array of {offset, value}.
void PlanMemory::eraseGlobals() {
  Builder builder(&getContext());
  SymbolTable symbols(getOperation());
  SmallVector<Attribute> constants;
  for (auto [name, offset] : globals) {
    auto global = symbols.lookup<memref::GlobalOp>(name);
    constants.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset)),
         builder.getNamedAttr("value", global.getInitialValueAttr())}));
    symbols.erase(global);
  }
  getOperation()->setAttr("memfmt.constants", builder.getArrayAttr(constants));
  getOperation()->setAttr("memfmt.constant_bytes",
                          builder.getI64IntegerAttr(constantBytes));
}
