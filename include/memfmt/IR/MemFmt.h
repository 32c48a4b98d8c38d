//===- MemFmt.h - the memfmt dialect ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_MEMFMT_H
#define MEMFMT_IR_MEMFMT_H

#include "memfmt/IR/ComputeInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "memfmt/IR/FormatInterfaces.h.inc"
#include "memfmt/IR/MemFmtDialect.h.inc"
#include "memfmt/IR/MemFmtEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "memfmt/IR/MemFmtAttrs.h.inc"
#define GET_OP_CLASSES
#include "memfmt/IR/MemFmtOps.h.inc"

#endif // MEMFMT_IR_MEMFMT_H
