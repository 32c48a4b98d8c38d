// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa | FileCheck %s --implicit-check-not=tosa.

// Pads are listed top, bottom, left, right. Channels go in front, and back.

// CHECK-LABEL: func @conv2d
// CHECK-SAME: (%[[X:.*]]: tensor<2x9x8x3xf32>, %[[W:.*]]: tensor<5x3x2x3xf32>, %[[B:.*]]: tensor<5xf32>)
// CHECK-DAG: %[[XT:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK-DAG: %[[WT:.*]] = linalg.transpose ins(%[[W]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK: %[[Y:.*]] = memfmt.conv %[[XT]], %[[WT]] bias(%[[B]] : tensor<5xf32>)
// CHECK-SAME: dilations = array<i64: 1, 2>, groups = 1 : i64
// CHECK-SAME: pad_high = array<i64: 2, 4>, pad_low = array<i64: 1, 3>
// CHECK-SAME: strides = array<i64: 3, 1>
// CHECK-SAME: tensor<2x3x9x8xf32>, tensor<5x3x3x2xf32> -> tensor<2x5x4x13xf32>
// CHECK: linalg.transpose ins(%[[Y]] {{.*}} permutation = [0, 2, 3, 1]
func.func @conv2d(%x: tensor<2x9x8x3xf32>, %w: tensor<5x3x2x3xf32>, %b: tensor<5xf32>) -> tensor<2x4x13x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 2, 3, 4>, stride = array<i64: 3, 1>, dilation = array<i64: 1, 2>} : (tensor<2x9x8x3xf32>, tensor<5x3x2x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x13x5xf32>
  return %y : tensor<2x4x13x5xf32>
}

// -----

// A bias of zeros is none. The three transpositions of an importer cancel.

// CHECK-LABEL: func @wrapped
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x9x8xf32>
// CHECK: %[[Y:.*]] = memfmt.conv %[[X]], %{{.*}} {dilations
// CHECK-NEXT: return %[[Y]]
func.func @wrapped(%x: tensor<2x3x9x8xf32>, %w: tensor<5x1x1x3xf32>) -> tensor<2x5x9x8xf32> {
  %z = "tosa.const"() <{values = dense<-0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<5xf32>}> : () -> tensor<5xf32>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x3x9x8xf32>) -> tensor<2x9x8x3xf32>
  %y = tosa.conv2d %t, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<2x9x8x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x9x8x5xf32>
  %r = tosa.transpose %y {perms = array<i32: 0, 3, 1, 2>} : (tensor<2x9x8x5xf32>) -> tensor<2x5x9x8xf32>
  return %r : tensor<2x5x9x8xf32>
}

// -----

// CHECK-LABEL: func @conv3d
// CHECK: linalg.transpose {{.*}} permutation = [0, 4, 1, 2, 3]
// CHECK: memfmt.conv {{.*}} pad_high = array<i64: 1, 0, 2>, pad_low = array<i64: 0, 1, 2>
// CHECK-SAME: tensor<1x2x5x6x7xf32>, tensor<4x2x2x2x3xf32> -> tensor<1x4x5x6x9xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 3, 4, 1]
func.func @conv3d(%x: tensor<1x5x6x7x2xf32>, %w: tensor<4x2x2x3x2xf32>, %b: tensor<4xf32>) -> tensor<1x5x6x9x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv3d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 1, 1, 0, 2, 2>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>} : (tensor<1x5x6x7x2xf32>, tensor<4x2x2x3x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x6x9x4xf32>
  return %y : tensor<1x5x6x9x4xf32>
}

// -----

// (KH, KW, C, M) becomes (C * M, 1, KH, KW) with C groups.

// CHECK-LABEL: func @depthwise
// CHECK-SAME: (%[[X:.*]]: tensor<1x6x7x3xf32>, %[[W:.*]]: tensor<3x2x3x2xf32>, %[[B:.*]]: tensor<6xf32>)
// CHECK: linalg.transpose ins(%[[W]] {{.*}} permutation = [2, 3, 0, 1]
// CHECK: memfmt.conv {{.*}} bias(%[[B]] : tensor<6xf32>) {{.*}} groups = 3 : i64
// CHECK-SAME: tensor<1x3x6x7xf32>, tensor<6x1x3x2xf32> -> tensor<1x6x4x6xf32>
func.func @depthwise(%x: tensor<1x6x7x3xf32>, %w: tensor<3x2x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x4x6x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<3x2x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x6xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

// A slice that cuts off what no window reaches is not needed.

// CHECK-LABEL: func @trimmed
// CHECK-NOT: extract_slice
// CHECK: memfmt.conv {{.*}} tensor<1x3x8x8xf32>, tensor<5x3x1x1xf32> -> tensor<1x5x4x4xf32>
func.func @trimmed(%x: tensor<1x8x8x3xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<5xf32>) -> tensor<1x4x4x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 7, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.slice %x, %start, %size : (tensor<1x8x8x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x7x3xf32>
  %y = tosa.conv2d %s, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x7x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// -----

// One row less is less, though: the last window would read it instead of the
// padding.

// CHECK-LABEL: func @cut
// CHECK: tensor.extract_slice
// CHECK: memfmt.conv {{.*}} tensor<1x3x7x7xf32>, tensor<5x3x3x3xf32> -> tensor<1x5x4x4xf32>
func.func @cut(%x: tensor<1x8x8x3xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<1x4x4x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 7, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.slice %x, %start, %size : (tensor<1x8x8x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x7x3xf32>
  %y = tosa.conv2d %s, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x7x7x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// -----

// Zero points, and element types that differ, are left to upstream.

// CHECK-LABEL: func @quantized
// CHECK-NOT: memfmt.conv
// CHECK: linalg.conv_2d_nhwc_fhwc_q
func.func @quantized(%x: tensor<1x8x8x3xi8>, %w: tensor<5x1x1x3xi8>, %b: tensor<5xi32>) -> tensor<1x8x8x5xi32> {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xi8>, tensor<5x1x1x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x5xi32>
  return %y : tensor<1x8x8x5xi32>
}

// -----

// One bias for all filters.

// CHECK-LABEL: func @one_bias
// CHECK-NOT: memfmt.conv
// CHECK: linalg.conv_2d_nhwc_fhwc
func.func @one_bias(%x: tensor<1x8x8x3xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<1xf32>) -> tensor<1x8x8x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<5x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x5xf32>
  return %y : tensor<1x8x8x5xf32>
}

// -----

// Padding behind adds elements, negative padding crops.

// CHECK-LABEL: func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x4x2xf32>, %[[W:.*]]: tensor<5x3x3x2xf32>, %[[B:.*]]: tensor<5xf32>)
// CHECK-DAG: linalg.transpose ins(%[[W]] {{.*}} permutation = [3, 0, 1, 2]
// CHECK: memfmt.conv_transpose {{.*}}, %[[B]] {
// CHECK-SAME: output_padding = array<i64: 1, 0>
// CHECK-SAME: pad_high = array<i64: 0, 2>, pad_low = array<i64: 1, 0>
// CHECK-SAME: strides = array<i64: 2, 3>
// CHECK-SAME: (tensor<1x2x3x4xf32>, tensor<2x5x3x3xf32>, tensor<5xf32>) -> tensor<1x5x7x10xf32>
func.func @transposed(%x: tensor<1x3x4x2xf32>, %w: tensor<5x3x3x2xf32>, %b: tensor<5xf32>) -> tensor<1x7x10x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, 1, 0, -2>, stride = array<i64: 2, 3>} : (tensor<1x3x4x2xf32>, tensor<5x3x3x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x10x5xf32>
  return %y : tensor<1x7x10x5xf32>
}

// -----

// Elements in front are not ours; what upstream makes of it is convolutions.

// CHECK-LABEL: func @transposed_in_front
// CHECK-NOT: memfmt.conv_transpose
// CHECK: memfmt.conv
func.func @transposed_in_front(%x: tensor<1x3x4x2xf32>, %w: tensor<5x3x2x2xf32>, %b: tensor<5xf32>) -> tensor<1x8x11x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 3>} : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x11x5xf32>
  return %y : tensor<1x8x11x5xf32>
}
