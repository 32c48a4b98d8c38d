// RUN: memfmt-opt %s --memfmt-lower-to-vector=target=avx2 | FileCheck %s

// Two equal kernels share one function; each is a launch with a number.

// CHECK-LABEL: @main
// CHECK: memfmt.launch @[[F:memfmt_transpose_[0-9]+]] tiles {{[0-9]+}} id 0(%arg0, %arg1 : memref<1x16x8x8xf32>, memref<1x8x8x16xf32>)
// CHECK: memfmt.launch @[[F]] tiles {{[0-9]+}} id 1(%arg0, %arg2 :
// CHECK: func.func @[[F]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: scf.for
// CHECK: vector.{{load|transfer_read}}
// CHECK-NOT: func.func @memfmt_transpose
func.func @main(%x: memref<1x16x8x8xf32>, %y: memref<1x8x8x16xf32>, %z: memref<1x8x8x16xf32>) {
  memfmt.kernel "transpose" ins(%x : memref<1x16x8x8xf32>) outs(%y : memref<1x8x8x16xf32>)
    {orders = [array<i64: 0, 1, 2, 3>, array<i64: 0, 2, 3, 1>], params = {}}
  memfmt.kernel "transpose" ins(%x : memref<1x16x8x8xf32>) outs(%z : memref<1x8x8x16xf32>)
    {orders = [array<i64: 0, 1, 2, 3>, array<i64: 0, 2, 3, 1>], params = {}}
  return
}
