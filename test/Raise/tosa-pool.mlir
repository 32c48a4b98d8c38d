// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa | FileCheck %s --implicit-check-not=tosa.

// CHECK-LABEL: func @max
// CHECK: memfmt.pool max {{.*}} pad_high = array<i64: 0, 2>, pad_low = array<i64: 1, 0>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>
// CHECK-SAME: tensor<2x3x8x9xf32> -> tensor<2x3x4x5xf32>
func.func @max(%x: tensor<2x8x9x3xf32>) -> tensor<2x4x5x3xf32> {
  %y = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 0, 2>, stride = array<i64: 2, 2>} : (tensor<2x8x9x3xf32>) -> tensor<2x4x5x3xf32>
  return %y : tensor<2x4x5x3xf32>
}

// -----

// CHECK-LABEL: func @max_without_nan
// CHECK-NOT: memfmt.pool
func.func @max_without_nan(%x: tensor<2x8x9x3xf32>) -> tensor<2x7x8x3xf32> {
  %y = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, nan_mode = IGNORE} : (tensor<2x8x9x3xf32>) -> tensor<2x7x8x3xf32>
  return %y : tensor<2x7x8x3xf32>
}

// -----

// TOSA leaves padding out of averages.

// CHECK-LABEL: func @average
// CHECK: memfmt.pool avg {{.*}} exclude_pad, pad_high = array<i64: 1, 0>, pad_low = array<i64: 1, 0>
func.func @average(%x: tensor<2x8x9x3xf32>) -> tensor<2x8x7x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x9x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x8x7x3xf32>
  return %y : tensor<2x8x7x3xf32>
}

// -----

// CHECK-LABEL: func @average_without_padding
// CHECK: memfmt.pool avg
// CHECK-NOT: exclude_pad
func.func @average_without_padding(%x: tensor<2x8x9x3xf32>) -> tensor<2x6x7x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x9x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x6x7x3xf32>
  return %y : tensor<2x6x7x3xf32>
}

// -----

// CHECK-LABEL: func @average_of_integers
// CHECK-NOT: memfmt.pool
func.func @average_of_integers(%x: tensor<2x8x9x3xi8>) -> tensor<2x6x7x3xi8> {
  %z = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x9x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x6x7x3xi8>
  return %y : tensor<2x6x7x3xi8>
}

// -----

// CHECK-LABEL: func @sum_of_image
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.pool sum %[[X]] {{.*}} window = array<i64: 4, 5>} : tensor<2x3x4x5xf32> -> tensor<2x3x1x1xf32>
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_image(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> {
  %0 = tosa.reduce_sum %x {axis = 3 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x1xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<2x3x4x1xf32>) -> tensor<2x3x1x1xf32>
  return %1 : tensor<2x3x1x1xf32>
}

// -----

// Channels last.

// CHECK-LABEL: func @sum_of_image_last
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x5x3xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK: memfmt.pool sum %[[T]] {{.*}} window = array<i64: 4, 5>} : tensor<2x3x4x5xf32> -> tensor<2x3x1x1xf32>
func.func @sum_of_image_last(%x: tensor<2x4x5x3xf32>) -> tensor<2x1x1x3xf32> {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x4x5x3xf32>) -> tensor<2x1x5x3xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<2x1x5x3xf32>) -> tensor<2x1x1x3xf32>
  return %1 : tensor<2x1x1x3xf32>
}

// -----

// The sum of one axis is read elsewhere.

// CHECK-LABEL: func @two_readers
// CHECK-NOT: memfmt.pool
func.func @two_readers(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3x4x1xf32>, tensor<2x3x1x1xf32>) {
  %0 = tosa.reduce_sum %x {axis = 3 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x1xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<2x3x4x1xf32>) -> tensor<2x3x1x1xf32>
  return %0, %1 : tensor<2x3x4x1xf32>, tensor<2x3x1x1xf32>
}

// -----

// CHECK-LABEL: func @matmul
// CHECK: linalg.matmul ins({{.*}} : tensor<4x5xf32>, tensor<5x6xf32>)
func.func @matmul(%a: tensor<1x4x5xf32>, %b: tensor<1x5x6xf32>) -> tensor<1x4x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.matmul %a, %b, %z, %z : (tensor<1x4x5xf32>, tensor<1x5x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: func @batch_matmul
// CHECK: linalg.batch_matmul
func.func @batch_matmul(%a: tensor<2x4x5xf32>, %b: tensor<2x5x6xf32>) -> tensor<2x4x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.matmul %a, %b, %z, %z : (tensor<2x4x5xf32>, tensor<2x5x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}
