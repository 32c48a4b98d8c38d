//===- LayoutSampling.h - rules of strides for dynamic sizes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_ANALYSIS_LAYOUTSAMPLING_H
#define MEMFMT_LIB_ANALYSIS_LAYOUTSAMPLING_H

#include "memfmt/IR/Format.h"

namespace memfmt {

/// Layouts of the results of an operation that answers `ViewOpInterface` or
/// `TorchLayoutOpInterface`. Rules work on numbers; where sizes or strides of
/// operands are not known they are tried with two sets of numbers above 1, and
/// what comes out different is not known either. Fails where a rule raises an
/// error.
mlir::LogicalResult sampleRule(mlir::Operation *op,
                               llvm::ArrayRef<StridedLayout> operands,
                               llvm::MutableArrayRef<StridedLayout> results);

} // namespace memfmt

#endif // MEMFMT_LIB_ANALYSIS_LAYOUTSAMPLING_H
