//===- ScalarBody.h - blocks of scalar operations ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_SCALARBODY_H
#define MEMFMT_IR_SCALARBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace memfmt {

/// True when a block computes scalars by operations that mean the same on
/// vectors (`OpTrait::hasElementwiseMappableTraits`) and reads nothing from
/// outside but constants.
bool isScalarBody(mlir::Block &block);

/// Clones such a block without its terminator at the insertion point of
/// `builder`: arguments become what `mapping` says, constants from outside are
/// cloned too. Returns what the terminator passes on.
llvm::SmallVector<mlir::Value> cloneScalarBody(mlir::OpBuilder &builder,
                                               mlir::Block &block,
                                               mlir::IRMapping &mapping);

} // namespace memfmt

#endif // MEMFMT_IR_SCALARBODY_H
