//===- TargetInfo.cpp - machines that kernels are made for ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/TargetInfo.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace memfmt::kernels;

static const TargetInfo targets[] = {
    {"avx512", 16, 32, "x86_64-unknown-linux-gnu", "skylake-avx512",
     "+avx512f,+avx512vl,+avx512bw,+avx512dq,+fma,-prefer-256-bit", 14, 2, 170,
     16},
    {"avx2", 8, 16, "x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma", 6, 2,
     100, 16},
    {"sse", 4, 16, "x86_64-unknown-linux-gnu", "x86-64", "+sse2", 6, 2, 25, 12},
    {"neon", 4, 32, "aarch64-unknown-linux-gnu", "generic", "+neon", 7, 3, 50,
     12},
};

llvm::ArrayRef<TargetInfo> memfmt::kernels::getTargets() { return targets; }

bool memfmt::kernels::runsOnHost(const TargetInfo &target) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (llvm::Triple(target.triple).getArch() != host.getArch())
    return false;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (target.name == "avx512")
    return has("avx512f") && has("avx512vl") && has("avx512bw") &&
           has("avx512dq") && has("fma");
  if (target.name == "avx2")
    return has("avx2") && has("fma");
  return true;
}

const TargetInfo *memfmt::kernels::lookupTarget(llvm::StringRef name) {
  for (const TargetInfo &target : targets)
    if (name == "host" ? runsOnHost(target) : target.name == name)
      return &target;
  return nullptr;
}
