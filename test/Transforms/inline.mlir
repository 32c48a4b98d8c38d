// RUN: memfmt-opt %s --inline | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-NOT: call
// CHECK: memfmt.elementwise exp
func.func private @body(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = memfmt.elementwise exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = call @body(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
