//===- Peak.h - the FMA peak of this machine --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_PEAK_H
#define MEMFMT_RUNTIME_PEAK_H

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace memfmt::runtime {

inline double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

#if defined(__x86_64__)
/// Twelve independent chains of fused multiply-adds on `register` (ymm or zmm);
/// written in assembly, so that no compiler spills them.
#define MEMFMT_FMA(reg, n) "vfmadd231ps %%" reg "0, %%" reg "1, %%" reg #n "\n"
// clang-format off
#define MEMFMT_CHAINS(reg)                                                     \
  MEMFMT_FMA(reg, 4) MEMFMT_FMA(reg, 5) MEMFMT_FMA(reg, 6) MEMFMT_FMA(reg, 7)  \
  MEMFMT_FMA(reg, 8) MEMFMT_FMA(reg, 9) MEMFMT_FMA(reg, 10)                    \
  MEMFMT_FMA(reg, 11) MEMFMT_FMA(reg, 12) MEMFMT_FMA(reg, 13)                  \
  MEMFMT_FMA(reg, 14) MEMFMT_FMA(reg, 15)
// clang-format on
#define MEMFMT_CLOBBERS                                                        \
  "xmm0", "xmm1", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc"

__attribute__((target("avx2,fma"))) inline void fmaLoop256(int64_t n) {
  asm volatile("vxorps %%ymm0, %%ymm0, %%ymm0\n vxorps %%ymm1, %%ymm1, %%ymm1\n"
               "1:\n" MEMFMT_CHAINS("ymm")
                   MEMFMT_CHAINS("ymm") "dec %0\n jnz 1b\n"
               : "+r"(n)::MEMFMT_CLOBBERS);
}

__attribute__((target("avx512f"))) inline void fmaLoop512(int64_t n) {
  asm volatile("vpxord %%zmm0, %%zmm0, %%zmm0\n vpxord %%zmm1, %%zmm1, %%zmm1\n"
               "1:\n" MEMFMT_CHAINS("zmm")
                   MEMFMT_CHAINS("zmm") "dec %0\n jnz 1b\n"
               : "+r"(n)::MEMFMT_CLOBBERS);
}
#endif

/// FMA peak of one core in GFLOP/s, the best of eight runs of about 2 ms; 0
/// where it is not known how to measure it.
inline double measurePeak() {
#if defined(__x86_64__)
  constexpr int64_t kRounds = 100000;
  constexpr int kRuns = 8;
  bool wide = __builtin_cpu_supports("avx512f");
  if (!wide &&
      !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
    return 0;
  double time = 0;
  for (int run = 0; run < kRuns; ++run) {
    double start = seconds();
    wide ? fmaLoop512(kRounds) : fmaLoop256(kRounds);
    double now = seconds() - start;
    time = run ? std::min(time, now) : now;
  }
  return kRounds * 24.0 * (wide ? 16 : 8) * 2 / time / 1e9;
#else
  return 0;
#endif
}

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_PEAK_H
