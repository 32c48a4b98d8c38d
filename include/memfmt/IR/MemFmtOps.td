//===- MemFmtOps.td - all operations of the dialect --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

include "memfmt/IR/FormatOps.td"
include "memfmt/IR/ComputeOps.td"
