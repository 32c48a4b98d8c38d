//===- Bytecode.h - the dialect in MLIR bytecode ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_IR_BYTECODE_H
#define MEMFMT_LIB_IR_BYTECODE_H

namespace memfmt {
class MemFmtDialect;

/// Lets `dialect` read and write its attributes as bytecode.
void addBytecodeInterface(MemFmtDialect *dialect);
} // namespace memfmt

#endif // MEMFMT_LIB_IR_BYTECODE_H
