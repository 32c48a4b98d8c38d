//===- LowerToLLVM.h - upstream dialects to LLVM ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_CONVERSION_LOWERTOLLVM_H
#define MEMFMT_CONVERSION_LOWERTOLLVM_H

namespace mlir {
class OpPassManager;
}

namespace memfmt {

/// The passes from func, scf, vector, memref, math and arith (and what is left
/// of linalg on buffers) to the LLVM dialect.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager);

} // namespace memfmt

#endif // MEMFMT_CONVERSION_LOWERTOLLVM_H
