//===- Pointers.cpp - buffers from and to raw pointers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/Pointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

Value memfmt::bufferFromPointer(ImplicitLocOpBuilder &builder, Value pointer,
                                MemRefType type) {
  Type ptr = pointer.getType(), i64 = builder.getI64Type();
  int64_t rank = type.getRank();
  SmallVector<Type> fields = {ptr, ptr, i64};
  if (rank > 0) {
    fields.push_back(LLVM::LLVMArrayType::get(i64, rank));
    fields.push_back(LLVM::LLVMArrayType::get(i64, rank));
  }
  Type descriptorType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  auto [strides, offset] = type.getStridesAndOffset();

  Value descriptor = LLVM::UndefOp::create(builder, descriptorType);
  auto insert = [&](Value field, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(builder, descriptor, field, position);
  };
  auto insertNumber = [&](int64_t number, ArrayRef<int64_t> position) {
    insert(LLVM::ConstantOp::create(builder, i64,
                                    builder.getI64IntegerAttr(number)),
           position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insertNumber(offset, {2});
  for (int64_t i = 0; i < rank; ++i) {
    insertNumber(type.getDimSize(i), {3, i});
    insertNumber(strides[i], {4, i});
  }
  return UnrealizedConversionCastOp::create(builder, type, descriptor)
      .getResult(0);
}

Value memfmt::pointerFromBuffer(ImplicitLocOpBuilder &builder, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer);
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (offset != 0)
    address = arith::AddIOp::create(
        builder, address,
        arith::ConstantIndexOp::create(builder, offset * bytes));
  Value integer =
      arith::IndexCastOp::create(builder, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, LLVM::LLVMPointerType::get(builder.getContext()), integer);
}

Value memfmt::loadAt(ImplicitLocOpBuilder &builder, Value base, int64_t bytes,
                     Type type) {
  Value address =
      LLVM::GEPOp::create(builder, base.getType(), builder.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  return LLVM::LoadOp::create(builder, type, address);
}
