// RUN: not memfmt-opt %s --memfmt-assign=target=z80 2>&1 | FileCheck %s
// RUN: not memfmt-opt %s --memfmt-verify-assignment=target=z80 2>&1 | FileCheck %s
// RUN: not memfmt-opt %s --memfmt-select-kernels=target=z80 2>&1 | FileCheck %s
// RUN: not memfmt-opt %s --memfmt-lower-to-vector=target=z80 2>&1 | FileCheck %s

// CHECK: error: unknown target "z80", expects host, avx512, avx2, sse, neon
module {}
