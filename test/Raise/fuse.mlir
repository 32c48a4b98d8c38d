// RUN: memfmt-opt %s --memfmt-fuse --split-input-file | FileCheck %s

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A residual add and the activation after it become one epilogue.

// CHECK-LABEL: @residual
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x4x4xf32>, %[[W:.*]]: tensor<4x4x1x1xf32>)
// CHECK: %[[Y:.*]] = memfmt.conv %[[X]], %[[W]] epilogue(%[[X]] : tensor<1x4x4x4xf32>)
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[R:.*]]: f32):
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[R]]
// CHECK: %[[MAX:.*]] = arith.maximumf %[[SUM]]
// CHECK: memfmt.yield %[[MAX]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @residual(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x4x4xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y, %x : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x4xf32>
  return %z : tensor<1x4x4x4xf32>
}

// -----

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// The convolution has another reader: nothing fuses.

// CHECK-LABEL: @two_readers
// CHECK: memfmt.conv
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @two_readers(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x1x1xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x4x4xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x4xf32>
  return %y, %z : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
