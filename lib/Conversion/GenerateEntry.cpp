//===- GenerateEntry.cpp - the C interface of a program ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Abi.h"
#include "memfmt/Conversion/Passes.h"
#include "memfmt/IR/MemFmt.h"
#include "memfmt/Kernels/Pointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cstddef>

namespace memfmt {
#define GEN_PASS_DEF_GENERATEENTRY
#include "memfmt/Conversion/Passes.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

namespace {
struct GenerateEntry : memfmt::impl::GenerateEntryBase<GenerateEntry> {
  using GenerateEntryBase::GenerateEntryBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> programs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr("memfmt.arena_bytes"))
        programs.push_back(func);
    for (func::FuncOp func : programs)
      if (failed(generate(func)))
        return signalPassFailure();
    getOperation().walk([&](LaunchOp launch) { lowerLaunch(launch); });
  }

private:
  LogicalResult generate(func::FuncOp func);
  void lowerLaunch(LaunchOp launch);
};
} // namespace

/// The address of element `index` of an array of memfmt_tensor, its data
/// pointer and offset applied.
static Value loadTensorData(ImplicitLocOpBuilder &builder, Value array,
                            unsigned index, MemRefType type) {
  int64_t base = index * sizeof(memfmt_tensor);
  Value data = loadAt(builder, array, base + offsetof(memfmt_tensor, data),
                      array.getType());
  Value offset = loadAt(builder, array, base + offsetof(memfmt_tensor, offset),
                        builder.getI64Type());
  return LLVM::GEPOp::create(builder, array.getType(), type.getElementType(),
                             data, ArrayRef<LLVM::GEPArg>{offset});
}

/// Replaces the arguments (inputs..., outputs..., arena, constants) of `func`
/// by (context, inputs, outputs) of `memfmt_entry_fn`; it returns 0.
LogicalResult GenerateEntry::generate(func::FuncOp func) {
  if (func.getFunctionType().getNumResults() != 0 ||
      !func.getBody().hasOneBlock())
    return func.emitOpError("expects results as output arguments and one block "
                            "when its entry is generated");
  for (Type type : func.getArgumentTypes())
    if (!isa<MemRefType>(type))
      return func.emitOpError("expects tensor arguments and results only, "
                              "found ")
             << type;
  auto outputs = func->getAttrOfType<IntegerAttr>("memfmt.num_outputs");
  unsigned numArguments = func.getNumArguments();
  unsigned numOutputs = outputs ? outputs.getInt() : 0;
  if (numOutputs + 2 > numArguments)
    return func.emitOpError("expects `memfmt.num_outputs` of at most ")
           << numArguments - 2 << ", found " << numOutputs;
  unsigned numInputs = numArguments - 2 - numOutputs;

  Block &body = func.getBody().front();
  ImplicitLocOpBuilder builder(func.getLoc(), &getContext());
  builder.setInsertionPointToStart(&body);
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Value context = body.addArgument(pointer, func.getLoc());
  Value inputs = body.addArgument(pointer, func.getLoc());
  Value results = body.addArgument(pointer, func.getLoc());

  for (unsigned i = 0; i < numArguments; ++i) {
    auto type = cast<MemRefType>(body.getArgument(i).getType());
    Value data;
    if (i < numInputs)
      data = loadTensorData(builder, inputs, i, type);
    else if (i < numInputs + numOutputs)
      data = loadTensorData(builder, results, i - numInputs, type);
    else
      data = loadAt(builder, context,
                    i == numArguments - 2 ? offsetof(memfmt_context, arena)
                                          : offsetof(memfmt_context, constants),
                    pointer);
    if (!type.hasStaticShape())
      type = MemRefType::get(
          {cast<IntegerAttr>(getOperation()->getAttr("memfmt.constant_bytes"))
               .getInt()},
          type.getElementType());
    Value buffer = bufferFromPointer(builder, data, type);
    if (type != body.getArgument(i).getType())
      buffer = memref::CastOp::create(builder, body.getArgument(i).getType(),
                                      buffer);
    body.getArgument(i).replaceAllUsesWith(buffer);
  }
  body.eraseArguments(0, numArguments);

  builder.setInsertionPoint(body.getTerminator());
  Value status = arith::ConstantIntOp::create(builder, 0, 32);
  func::ReturnOp::create(builder, status);
  body.getTerminator()->erase();
  func.setAllArgAttrs(
      SmallVector<DictionaryAttr>(3, builder.getDictionaryAttr({})));
  func.setFunctionType(builder.getFunctionType({pointer, pointer, pointer},
                                               {builder.getI32Type()}));
  return success();
}

/// `context->launch(context, id, callee, pointers, tiles)`.
void GenerateEntry::lowerLaunch(LaunchOp launch) {
  auto func = launch->getParentOfType<func::FuncOp>();
  ImplicitLocOpBuilder builder(launch.getLoc(), launch);
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = builder.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, i64,
                                    builder.getI64IntegerAttr(value));
  };
  // Arrays of pointers live on the stack of the entry, one per launch, and are
  // allocated once: the entry block runs once.
  Value array;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&func.getBody().front());
    array = LLVM::AllocaOp::create(builder, pointer, pointer,
                                   number(launch.getBuffers().size()));
  }
  for (auto [index, buffer] : llvm::enumerate(launch.getBuffers())) {
    Value slot = LLVM::GEPOp::create(
        builder, pointer, pointer, array,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, pointerFromBuffer(builder, buffer), slot);
  }
  Value context = func.getArgument(0);
  Value function =
      loadAt(builder, context, offsetof(memfmt_context, launch), pointer);
  Value callee = UnrealizedConversionCastOp::create(
                     builder, pointer,
                     func::ConstantOp::create(
                         builder,
                         getOperation()
                             .lookupSymbol<func::FuncOp>(launch.getCallee())
                             .getFunctionType(),
                         launch.getCalleeAttr())
                         .getResult())
                     .getResult(0);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                  {pointer, i64, pointer, pointer, i64});
  LLVM::CallOp::create(builder, type,
                       ValueRange{function, context, number(launch.getId()),
                                  callee, array, number(launch.getTiles())});
  launch.erase();
}
