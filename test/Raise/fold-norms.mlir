// RUN: memfmt-opt %s --memfmt-fold-norms --memfmt-fold-constants --split-input-file | FileCheck %s

// A batch norm of a convolution becomes its filter and bias:
// scale / sqrt(variance + epsilon) = 3 / sqrt(3 + 1) = 1.5, and
// offset - mean * 1.5 = 1 - 2 * 1.5 = -2.

// CHECK-LABEL: @folds
// CHECK-DAG: %[[W:.*]] = arith.constant dense<3.000000e+00> : tensor<4x3x1x1xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<-2.000000e+00> : tensor<4xf32>
// CHECK: %[[Y:.*]] = memfmt.conv %{{.*}}, %[[W]] bias(%[[B]] : tensor<4xf32>)
// CHECK-NEXT: return %[[Y]]
func.func @folds(%x: tensor<1x3x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = arith.constant dense<2.0> : tensor<4x3x1x1xf32>
  %mean = arith.constant dense<2.0> : tensor<4xf32>
  %variance = arith.constant dense<3.0> : tensor<4xf32>
  %scale = arith.constant dense<3.0> : tensor<4xf32>
  %offset = arith.constant dense<1.0> : tensor<4xf32>
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32> -> tensor<1x4x4x4xf32>
  %z = memfmt.batch_norm %y, %mean, %variance, %scale, %offset {epsilon = 1.0 : f64}
    : tensor<1x4x4x4xf32>, tensor<4xf32> -> tensor<1x4x4x4xf32>
  return %z : tensor<1x4x4x4xf32>
}

// -----

// Another reader sees the convolution itself: one multiply-add for each channel.

// CHECK-LABEL: @scales
// CHECK: %[[Y:.*]] = memfmt.conv
// CHECK-NOT: memfmt.batch_norm
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: return %[[Y]], %[[Z]]
func.func @scales(%x: tensor<1x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %v: tensor<4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32> -> tensor<1x4x4x4xf32>
  %z = memfmt.batch_norm %y, %v, %v, %v, %v {epsilon = 1.0 : f64}
    : tensor<1x4x4x4xf32>, tensor<4xf32> -> tensor<1x4x4x4xf32>
  return %y, %z : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
