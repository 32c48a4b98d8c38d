// RUN: memfmt-opt %s --memfmt-materialize --split-input-file | FileCheck %s --implicit-check-not=memfmt

#cl = #memfmt.format<channels_last>

// Channels-last in, channels-last out: the named convolution of that order, its
// filter transposed, its padding in the middle axes.

// CHECK-LABEL: @conv
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x8x3xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>) -> tensor<1x8x8x4xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[F:.*]] = linalg.transpose ins(%[[W]] : tensor<4x3x3x3xf32>) {{.*}} permutation = [2, 3, 1, 0]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} ins(%[[P]], %[[F]] : tensor<1x10x10x3xf32>, tensor<3x3x3x4xf32>)
func.func @conv(%x: tensor<1x3x8x8xf32, #cl>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32, #cl> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x8x8xf32, #cl>, tensor<4x3x3x3xf32> -> tensor<1x4x8x8xf32, #cl>
  return %y : tensor<1x4x8x8xf32, #cl>
}

// -----

// A conversion is a transpose; an axis attribute follows its axis.

// CHECK-LABEL: @concat
// CHECK: %[[T:.*]] = linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
// CHECK: tensor.concat dim(3) %[[T]], %{{.*}} : (tensor<1x8x8x3xf32>, tensor<1x8x8x5xf32>) -> tensor<1x8x8x8xf32>
func.func @concat(%x: tensor<1x3x8x8xf32>, %y: tensor<1x5x8x8xf32, #memfmt.format<channels_last>>) -> tensor<1x8x8x8xf32, #memfmt.format<channels_last>> {
  %c = memfmt.to_format %x : tensor<1x3x8x8xf32> to tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
  %r = tensor.concat dim(1) %c, %y : (tensor<1x3x8x8xf32, #memfmt.format<channels_last>>, tensor<1x5x8x8xf32, #memfmt.format<channels_last>>) -> tensor<1x8x8x8xf32, #memfmt.format<channels_last>>
  return %r : tensor<1x8x8x8xf32, #memfmt.format<channels_last>>
}

// -----

// Blocks of channels: a pack with padding and an unpack that drops it.

// CHECK-LABEL: @blocked
// CHECK: %[[P:.*]] = linalg.pack {{.*}} inner_dims_pos = [1] inner_tiles = [8] into {{.*}} : tensor<1x10x4x4xf32> -> tensor<1x2x4x4x8xf32>
// CHECK: linalg.unpack %[[P]] {{.*}} inner_dims_pos = [1] inner_tiles = [8] into {{.*}} : tensor<1x2x4x4x8xf32> -> tensor<1x10x4x4xf32>
func.func @blocked(%x: tensor<1x10x4x4xf32>) -> tensor<1x10x4x4xf32> {
  %y = memfmt.to_format %x : tensor<1x10x4x4xf32> to tensor<1x10x4x4xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>>
  %z = memfmt.to_format %y : tensor<1x10x4x4xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>> to tensor<1x10x4x4xf32>
  return %z : tensor<1x10x4x4xf32>
}
