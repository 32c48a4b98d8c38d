//===- MemFmtOps.td - all operations of the dialect --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

include "memfmt/IR/FormatOps.td"
include "memfmt/IR/ComputeOps.td"
include "memfmt/IR/ElementwiseOps.td"
include "memfmt/IR/MovementOps.td"
include "memfmt/IR/NormOps.td"
include "memfmt/IR/ReduceOps.td"
include "memfmt/IR/RequestOps.td"
include "memfmt/IR/ViewOps.td"
include "memfmt/IR/WindowOps.td"
