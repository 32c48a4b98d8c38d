// RUN: memfmt-opt %s --memfmt-assign=target=avx2 --split-input-file --verify-diagnostics

// A convolution has no kernel for blocked tensors, and no other way out: the
// conversions around it are inserted, so nothing is wrong here.
func.func @blocked(%x: tensor<1x8x5x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>>, %w: tensor<4x8x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %y = memfmt.to_format %x : tensor<1x8x5x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>> to tensor<1x8x5x5xf32>
  %z = memfmt.conv %y, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x5x5xf32>, tensor<4x8x3x3xf32> -> tensor<1x4x3x3xf32>
  return %z : tensor<1x4x3x3xf32>
}
