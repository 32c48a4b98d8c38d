//===- TargetInfo.h - machines that kernels are made for --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_TARGETINFO_H
#define MEMFMT_KERNELS_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace memfmt::kernels {

/// One row of the target table. A new machine is a new row.
struct TargetInfo {
  /// The name that `target=` takes.
  llvm::StringRef name;
  /// f32 lanes of a vector register.
  int64_t lanes;
  /// Number of vector registers.
  int64_t registers;
  /// LLVM triple, cpu and features; empty triple is that of the host.
  llvm::StringRef triple, cpu, features;
  /// Accumulator tile of a convolution that broadcasts pixels: pixels x vectors
  /// of channels. Leaves registers for the weights and one broadcast.
  int64_t tilePixels, tileVectors;
  /// Typical figures of one core: FMA peak in GFLOP/s and memory bandwidth in
  /// GB/s. For predictions only, and fixed on purpose: a certificate must not
  /// depend on the machine that compiles.
  double peakGflops, bandwidthGBs;
};

/// All rows, the best first among those of one architecture.
llvm::ArrayRef<TargetInfo> getTargets();

/// The row of this name; `host` is the best row that this machine can run.
/// Null for an unknown name.
const TargetInfo *lookupTarget(llvm::StringRef name);

/// Whether this machine can run code for a row.
bool runsOnHost(const TargetInfo &target);

} // namespace memfmt::kernels

#endif // MEMFMT_KERNELS_TARGETINFO_H
