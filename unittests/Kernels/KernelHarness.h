//===- KernelHarness.h - compile an emitter and call it ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_KERNELS_KERNELHARNESS_H
#define MEMFMT_UNITTESTS_KERNELS_KERNELHARNESS_H

#include "memfmt/Conversion/LowerToLLVM.h"
#include "memfmt/Kernels/Pointers.h"
#include "memfmt/Runtime/Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"

#include <functional>

namespace memfmt::testing {

/// A kernel over buffers of fixed shapes.
class CompiledKernel {
public:
  using Emit =
      std::function<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange buffers,
                         mlir::Value lo, mlir::Value hi)>;

  /// Compiles a function whose buffers have the shapes `shapes` (f32).
  static std::unique_ptr<CompiledKernel>
  compile(llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
          const kernels::TargetInfo &target, bool host, const Emit &emit) {
    using namespace mlir;
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    runtime::registerTranslations(registry);
    MLIRContext context(registry);
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                     math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                     vector::VectorDialect>();
    ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
    OwningOpRef<ModuleOp> module(ModuleOp::create(b.getLoc()));
    b.setInsertionPointToEnd(module->getBody());
    Type pointer = LLVM::LLVMPointerType::get(&context), i64 = b.getI64Type();
    auto function = func::FuncOp::create(
        b, "kernel", b.getFunctionType({pointer, i64, i64}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<Value> buffers;
    for (auto [i, shape] : llvm::enumerate(shapes))
      buffers.push_back(bufferFromPointer(
          b, loadAt(b, function.getArgument(0), 8 * i, pointer),
          MemRefType::get(shape, b.getF32Type())));
    auto index = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, b.getIndexType(), value);
    };
    Value lo = index(function.getArgument(1)),
          hi = index(function.getArgument(2));
    emit(b, buffers, lo, hi);
    func::ReturnOp::create(b);
    PassManager manager(&context);
    buildLowerToLLVMPipeline(manager);
    if (failed(verify(*module)) || failed(manager.run(*module)))
      return nullptr;
    auto object = runtime::compileToObject(
        *module, runtime::MachineSpec::get(target, host));
    if (!object) {
      llvm::errs() << llvm::toString(object.takeError()) << "\n";
      return nullptr;
    }
    auto loaded = runtime::LoadedObject::load(std::move(*object));
    if (!loaded) {
      llvm::errs() << llvm::toString(loaded.takeError()) << "\n";
      return nullptr;
    }
    auto kernel = std::make_unique<CompiledKernel>();
    kernel->object = std::move(*loaded);
    auto symbol = kernel->object->lookup("kernel");
    if (!symbol) {
      llvm::errs() << llvm::toString(symbol.takeError()) << "\n";
      return nullptr;
    }
    kernel->entry = reinterpret_cast<Entry>(*symbol);
    return kernel;
  }

  void operator()(llvm::ArrayRef<float *> buffers, int64_t lo,
                  int64_t hi) const {
    llvm::SmallVector<void *> pointers(buffers.begin(), buffers.end());
    entry(pointers.data(), lo, hi);
  }

private:
  using Entry = void (*)(void **, int64_t, int64_t);
  std::unique_ptr<runtime::LoadedObject> object;
  Entry entry = nullptr;
};

/// 64-byte aligned floats, filled with a fixed sequence in [-1, 1).
class Floats {
public:
  explicit Floats(int64_t size, uint32_t seed = 1)
      : storage(size + 16), length(size) {
    uint64_t state = seed;
    for (int64_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      data()[i] = static_cast<int32_t>(state >> 33) / 1073741824.0f - 1.0f;
    }
  }
  float *data() {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    return reinterpret_cast<float *>((address + 63) / 64 * 64);
  }
  float &operator[](int64_t i) { return data()[i]; }
  int64_t size() const { return length; }

private:
  std::vector<float> storage;
  int64_t length;
};

} // namespace memfmt::testing

#endif // MEMFMT_UNITTESTS_KERNELS_KERNELHARNESS_H
