//===- ConstantPasses.td - programs evaluated before they run -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TRANSFORMS_CONSTANTPASSES_TD
#define MEMFMT_TRANSFORMS_CONSTANTPASSES_TD

include "mlir/Pass/PassBase.td"

def FoldConstants : Pass<"memfmt-fold-constants", "::mlir::ModuleOp"> {
  let summary = "evaluate operations on constants while compiling";
  let description = [{
    Replaces operations whose operands are constants by their results: weights
    are scaled, packed and permuted once, when the program is compiled. What can
    be evaluated is a registry in the context (`ConstantEvaluators`): element-wise
    `linalg`, `arith` and `math` operations, and operations that only move
    elements. Results of more than 64 elements become resources, aligned to 64
    bytes. Other operations, and constants whose data is absent, stay.

    A large result that is many times the data it derives from (a bias broadcast
    over an image) is not stored; the operation stays, unless all its readers are
    evaluated too. Linear in the number of operations and of elements.

    Formats are types only: the bytes of encoded constants stay in row-major
    order. A resource that does not fit its type is an error.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "0",
           "largest result to store, in bytes; 0 is no limit">,
    Option<"maxGrowth", "max-growth", "int64_t", "64",
           "how many times its operands a result above 64 KiB may be">,
    Option<"release", "release", "bool", "true",
           "free the data of constants that lose their last reader; a clone of the "
           "module that still reads them needs false">,
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "Operations evaluated">,
    Statistic<"numBytes", "bytes", "Bytes of the results of evaluated operations">,
    Statistic<"numReleased", "released", "Bytes of constants freed">,
  ];
  let dependentDialects = ["::memfmt::MemFmtDialect", "::mlir::arith::ArithDialect"];
}

#endif // MEMFMT_TRANSFORMS_CONSTANTPASSES_TD
