// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// ConvTranspose1d(3, 2, kernel 3, stride 2, padding 1, output_padding 1) of 4
// pixels: 8 pixels. 2 * (3 - 1) / 2 - 1 = 1 zero before and one more behind.

// CHECK-LABEL: @strided
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x4xf32>, %[[W:.*]]: tensor<3x2x3xf32>, %[[B:.*]]: tensor<2xf32>)
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = memfmt.conv_transpose %[[X]], %[[W]], %[[B]] {dilations = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>, pad_high = array<i64: 0>, pad_low = array<i64: 1>, strides = array<i64: 2>}
// CHECK-NEXT: return %[[Y]] : tensor<1x2x8xf32>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @strided(%x: tensor<1x3x4xf32>, %w: tensor<3x2x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %ew = tensor.empty() : tensor<2x3x3xf32>
  %flipped = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ew : tensor<2x3x3xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = arith.subi %c2, %i : index
    %v = tensor.extract %w[%c, %k, %j] : tensor<3x2x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x3xf32>
  %e = tensor.empty() : tensor<1x3x10xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x10xf32>) -> tensor<1x3x10xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 1] [1, 3, 4] [1, 1, 2] : tensor<1x3x4xf32> into tensor<1x3x10xf32>
  %ey = tensor.empty() : tensor<1x2x8xf32>
  %i = linalg.broadcast ins(%b : tensor<2xf32>) outs(%ey : tensor<1x2x8xf32>) dimensions = [0, 2]
  %y = linalg.conv_1d_ncw_fcw ins(%spread, %flipped : tensor<1x3x10xf32>, tensor<2x3x3xf32>) outs(%i : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %y : tensor<1x2x8xf32>
}

// -----

// The filter is not flipped, or its channels stay where they are; ones lie
// between the pixels.

// CHECK-LABEL: @not_flipped
// CHECK-NOT: memfmt.conv_transpose
// CHECK: memfmt.conv
// CHECK-LABEL: @not_exchanged
// CHECK-NOT: memfmt.conv_transpose
// CHECK: memfmt.conv
// CHECK-LABEL: @ones
// CHECK-NOT: memfmt.conv_transpose
// CHECK: memfmt.conv
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @not_flipped(%x: tensor<1x3x4xf32>, %w: tensor<2x3x3xf32>) -> tensor<1x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 1] [1, 3, 4] [1, 1, 2] : tensor<1x3x4xf32> into tensor<1x3x10xf32>
  %i = arith.constant dense<0.0> : tensor<1x2x8xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%spread, %w : tensor<1x3x10xf32>, tensor<2x3x3xf32>) outs(%i : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %y : tensor<1x2x8xf32>
}
func.func @not_exchanged(%x: tensor<1x3x4xf32>, %w: tensor<3x3x3xf32>) -> tensor<1x3x8xf32> {
  %c2 = arith.constant 2 : index
  %ew = tensor.empty() : tensor<3x3x3xf32>
  %flipped = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ew : tensor<3x3x3xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = arith.subi %c2, %i : index
    %v = tensor.extract %w[%k, %c, %j] : tensor<3x3x3xf32>
    linalg.yield %v : f32
  } -> tensor<3x3x3xf32>
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 1] [1, 3, 4] [1, 1, 2] : tensor<1x3x4xf32> into tensor<1x3x10xf32>
  %i = arith.constant dense<0.0> : tensor<1x3x8xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%spread, %flipped : tensor<1x3x10xf32>, tensor<3x3x3xf32>) outs(%i : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  return %y : tensor<1x3x8xf32>
}
func.func @ones(%x: tensor<1x3x4xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x2x8xf32> {
  %c2 = arith.constant 2 : index
  %ew = tensor.empty() : tensor<2x3x3xf32>
  %flipped = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ew : tensor<2x3x3xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = arith.subi %c2, %i : index
    %v = tensor.extract %w[%c, %k, %j] : tensor<3x2x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x3xf32>
  %ones = arith.constant dense<1.0> : tensor<1x3x10xf32>
  %spread = tensor.insert_slice %x into %ones[0, 0, 1] [1, 3, 4] [1, 1, 2] : tensor<1x3x4xf32> into tensor<1x3x10xf32>
  %i = arith.constant dense<0.0> : tensor<1x2x8xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%spread, %flipped : tensor<1x3x10xf32>, tensor<2x3x3xf32>) outs(%i : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %y : tensor<1x2x8xf32>
}
