//===- InitAll.h - everything of memfmt in one call -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_INITALL_H
#define MEMFMT_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace memfmt {

/// The dialect, the answers of upstream operations to its interfaces, and the
/// kernels.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Every pass and pipeline, for textual pipelines and command lines.
void registerAllPasses();

} // namespace memfmt

#endif // MEMFMT_INITALL_H
