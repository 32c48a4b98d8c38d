// RUN: memfmt-opt %s --memfmt-bufferize --split-input-file | FileCheck %s

// Results are written where the caller wants them; inputs are never written.

// CHECK-LABEL: @transpose
// CHECK-SAME: (%[[X:.*]]: memref<1x3x8x8xf32>, %[[Y:.*]]: memref<1x8x8x3xf32>)
// CHECK-SAME: memfmt.num_outputs = 1
// CHECK-NOT: memref.alloc
// CHECK: memfmt.kernel "transpose" ins(%[[X]] : memref<1x3x8x8xf32>) outs(%[[Y]] : memref<1x8x8x3xf32>)
// CHECK: return
func.func @transpose(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32> {
  %e = tensor.empty() : tensor<1x8x8x3xf32>
  %y = memfmt.kernel "transpose" ins(%x : tensor<1x3x8x8xf32>) outs(%e : tensor<1x8x8x3xf32>)
    {orders = [array<i64: 0, 1, 2, 3>, array<i64: 0, 2, 3, 1>], params = {}} -> tensor<1x8x8x3xf32>
  return %y : tensor<1x8x8x3xf32>
}

// -----

// One buffer returned twice is copied once.

// CHECK-LABEL: @twice
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<4xf32>)
// CHECK: linalg.fill {{.*}} outs(%[[Y]]
// CHECK: linalg.copy ins(%[[Y]] : memref<4xf32>) outs(%[[Z]] : memref<4xf32>)
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// An input handed on is copied.

// CHECK-LABEL: @hand_on
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK: linalg.copy ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>)
func.func @hand_on(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
