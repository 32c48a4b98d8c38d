//===- Jit.h - LLVM dialect to machine code ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_JIT_H
#define MEMFMT_RUNTIME_JIT_H

#include "memfmt/Kernels/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace memfmt::runtime {

/// What code is generated for.
struct MachineSpec {
  std::string triple, cpu, features;

  /// The machine of a row of the target table; `host` tunes for this very
  /// machine.
  static MachineSpec get(const kernels::TargetInfo &target, bool host);
};

/// Makes the dialects translatable to LLVM IR.
void registerTranslations(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM dialect, optimises it at O3 and returns a
/// position-independent object file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(mlir::ModuleOp module, const MachineSpec &machine);

/// An object file in memory, ready to be called. Symbols that it lacks come
/// from this process (libm, memcpy).
class LoadedObject {
public:
  static llvm::Expected<std::unique_ptr<LoadedObject>>
  load(std::unique_ptr<llvm::MemoryBuffer> object);
  ~LoadedObject();

  llvm::Expected<void *> lookup(llvm::StringRef symbol);

private:
  explicit LoadedObject(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_JIT_H
