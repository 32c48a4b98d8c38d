// RUN: memfmt-opt %s --memfmt-materialize | FileCheck %s

// A dynamic batch, and sizes that are those of an operand, in every order of axes.
// CHECK-LABEL: func @dynamic_rows
// CHECK: %[[N:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?x3xf32>
// CHECK: tensor.empty(%[[N]]) : tensor<?x3xf32>
func.func @dynamic_rows(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = memfmt.elementwise exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

#cl = #memfmt.format<channels_last>
// CHECK-LABEL: func @dynamic_pixels
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
// CHECK: tensor.empty(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x?x?x3xf32>
func.func @dynamic_pixels(%x: tensor<?x3x?x?xf32, #cl>) -> tensor<?x3x?x?xf32, #cl> {
  %0 = memfmt.elementwise exp %x : (tensor<?x3x?x?xf32, #cl>) -> tensor<?x3x?x?xf32, #cl>
  return %0 : tensor<?x3x?x?xf32, #cl>
}

// CHECK-LABEL: func @dynamic_softmax
// CHECK-SAME: (%[[X:.*]]: tensor<?x4x4x3xf32>) -> tensor<?x4x4x3xf32>
func.func @dynamic_softmax(%x: tensor<?x3x4x4xf32, #cl>) -> tensor<?x3x4x4xf32, #cl> {
  %0 = memfmt.softmax %x {axis = 1 : i64} : (tensor<?x3x4x4xf32, #cl>) -> tensor<?x3x4x4xf32, #cl>
  return %0 : tensor<?x3x4x4xf32, #cl>
}

// The identity order spelled out is a format like any other.
// CHECK-LABEL: func @identity_order
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[X]]
func.func @identity_order(%x: tensor<2x3x5xf32, #memfmt.format<[0, 1, 2]>>) -> tensor<2x3x5xf32, #memfmt.format<[0, 1, 2]>> {
  return %x : tensor<2x3x5xf32, #memfmt.format<[0, 1, 2]>>
}

// Constants are written in logical order.
// CHECK-LABEL: func @constant
// CHECK: %[[C:.*]] = arith.constant dense<{{.*}}1, 2, 3], [4, 5, 6]{{.*}}> : tensor<2x3xi32>
// CHECK: linalg.transpose ins(%[[C]] : tensor<2x3xi32>) {{.*}} permutation = [1, 0]
func.func @constant() -> tensor<2x3xi32, #memfmt.format<[1, 0]>> {
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32, #memfmt.format<[1, 0]>>
  return %0 : tensor<2x3xi32, #memfmt.format<[1, 0]>>
}
