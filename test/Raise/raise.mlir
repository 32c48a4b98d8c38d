// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// What torch-mlir spells out: padding, a filled tensor, a named convolution.

// CHECK-LABEL: @padded_conv
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>)
// CHECK-NOT: tensor.pad
// CHECK: %[[Y:.*]] = memfmt.conv %[[X]], %[[W]]
// CHECK-SAME: dilations = array<i64: 1, 1>, groups = 1 : i64, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, strides = array<i64: 2, 2>
// CHECK: return %[[Y]]
func.func @padded_conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%padded, %w : tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) outs(%filled : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----

// Padding with another value than zero is no padding of a convolution.

// CHECK-LABEL: @padded_with_one
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: memfmt.conv %[[P]]
// CHECK-SAME: pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>
func.func @padded_with_one(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %one : f32
  } : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
  %empty = tensor.empty() : tensor<1x4x8x8xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%padded, %w : tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) outs(%filled : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// -----

// A bias is broadcast into the accumulator.

// CHECK-LABEL: @bias
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<4x3x1x1xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: memfmt.conv %[[X]], %[[W]] bias(%[[B]] : tensor<4xf32>)
#channel = affine_map<(d0, d1, d2, d3) -> (d1)>
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @bias(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %empty = tensor.empty() : tensor<1x4x8x8xf32>
  %filled = linalg.generic {indexing_maps = [#channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%b : tensor<4xf32>) outs(%empty : tensor<1x4x8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x4x8x8xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) outs(%filled : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// -----

// The accumulator is no bias: the convolution stays.

// CHECK-LABEL: @accumulate
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: memfmt.conv
func.func @accumulate(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) outs(%y : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// -----

// CHECK-LABEL: @max_pool
// CHECK: memfmt.pool max %{{.*}} {dilations = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>}
func.func @max_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %filled = linalg.fill ins(%lowest : f32) outs(%empty : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%padded, %window : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%filled : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----

// A transposed matrix and a bias make a linear layer.

// CHECK-LABEL: @linear
// CHECK-SAME: (%[[X:.*]]: tensor<2x5xf32>, %[[W:.*]]: tensor<3x5xf32>)
// CHECK: memfmt.linear %[[X]], %[[W]]
// CHECK-NOT: linalg.matmul
func.func @linear(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %t = linalg.transpose ins(%w : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %empty = tensor.empty() : tensor<2x3xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = linalg.matmul ins(%x, %t : tensor<2x5xf32>, tensor<5x3xf32>) outs(%filled : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A row of any shape is a bias; a column is none.

// CHECK-LABEL: @row
// CHECK-SAME: (%[[X:.*]]: tensor<3x5xf32>, %[[W:.*]]: tensor<5x3xf32>, %[[B:.*]]: tensor<1x3xf32>)
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[B]]
// CHECK: memfmt.linear %{{.*}} bias(%[[V]] : tensor<3xf32>)
// CHECK-LABEL: @column
// CHECK: memfmt.linear %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK: arith.addf
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>
#column = affine_map<(d0, d1) -> (d0)>
func.func @row(%x: tensor<3x5xf32>, %w: tensor<5x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %i = arith.constant dense<0.0> : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x3xf32>) outs(%i : tensor<3x3xf32>) -> tensor<3x3xf32>
  %z = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%b, %y : tensor<1x3xf32>, tensor<3x3xf32>) outs(%e : tensor<3x3xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<3x3xf32>
  return %z : tensor<3x3xf32>
}
func.func @column(%x: tensor<3x5xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) -> tensor<3x3xf32> {
  %i = arith.constant dense<0.0> : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x3xf32>) outs(%i : tensor<3x3xf32>) -> tensor<3x3xf32>
  %z = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%b, %y : tensor<3xf32>, tensor<3x3xf32>) outs(%e : tensor<3x3xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<3x3xf32>
  return %z : tensor<3x3xf32>
}
