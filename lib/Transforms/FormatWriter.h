//===- FormatWriter.h - writes inferred formats into the IR -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_TRANSFORMS_FORMATWRITER_H
#define MEMFMT_LIB_TRANSFORMS_FORMATWRITER_H

#include "memfmt/Analysis/FormatPropagation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace memfmt {

/// How formats are written.
struct FormatWriterOptions {
  /// Operations that have a rule for strides read operands as they are.
  bool readsStrides = false;
  /// Results tell in `memfmt.origin` which declaration their format is from.
  bool origins = false;
};

/// Gives every value the format that an analysis found, and converts where a
/// reader takes another one. Signatures of public functions, conversions, pins
/// and constants keep their types.
class FormatWriter {
public:
  FormatWriter(const FormatPropagation &analysis, FormatWriterOptions options)
      : analysis(analysis), options(options) {}

  void write(mlir::ModuleOp module);

  /// Values with a format, places where one is lost.
  int64_t numEncoded = 0, numLost = 0;

private:
  void setType(mlir::Value value);
  void setResultTypes(mlir::Operation *op);
  void setSignature(mlir::FunctionOpInterface function);
  void remarkMeeting(mlir::Operation *op);
  void connect(mlir::Operation *op);
  void connectFormats(FormatOpInterface op);
  void connectRegions(mlir::RegionBranchOpInterface op);
  void forward(mlir::Operation *at, mlir::OpOperand &operand,
               mlir::Type wanted);
  void forwardAll(mlir::Operation *at, mlir::MutableOperandRange operands,
                  mlir::ValueRange targets);
  void requireRowMajor(mlir::OpOperand &operand);

  const FormatPropagation &analysis;
  FormatWriterOptions options;
};

} // namespace memfmt

#endif // MEMFMT_LIB_TRANSFORMS_FORMATWRITER_H
