// RUN: memfmt-opt %s --memfmt-select-kernels=target=avx2 --split-input-file | FileCheck %s

#cl = #memfmt.format<channels_last>

// CHECK: module attributes {memfmt.folded = {bytes = {{[0-9]+}} : i64, count = 1 : i64}}
// CHECK-LABEL: @direct
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x8x64xf32>) -> tensor<1x8x8x16xf32>
// CHECK-SAME: memfmt.abi = (tensor<1x64x8x8xf32, #memfmt.format<channels_last>>) -> tensor<1x16x8x8xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.kernel "conv.direct" ins(%[[X]], %{{.*}} : tensor<1x8x8x64xf32>
// CHECK-SAME: memfmt.format = "channels_last"
// CHECK-SAME: memfmt.operation = "memfmt.conv"
// CHECK-SAME: orders = [array<i64: 0, 2, 3, 1>
func.func @direct(%x: tensor<1x64x8x8xf32, #cl>) -> tensor<1x16x8x8xf32, #cl> {
  %w = arith.constant dense<1.0> : tensor<16x64x3x3xf32>
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x8x8xf32, #cl>, tensor<16x64x3x3xf32> -> tensor<1x16x8x8xf32, #cl>
  return %y : tensor<1x16x8x8xf32, #cl>
}

// -----

// CHECK-LABEL: @depthwise
// CHECK: memfmt.kernel "conv.depthwise"
func.func @depthwise(%x: tensor<1x64x8x8xf32, #memfmt.format<channels_last>>, %w: tensor<64x1x3x3xf32>) -> tensor<1x64x8x8xf32, #memfmt.format<channels_last>> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 64 : i64}
    : tensor<1x64x8x8xf32, #memfmt.format<channels_last>>, tensor<64x1x3x3xf32> -> tensor<1x64x8x8xf32, #memfmt.format<channels_last>>
  return %y : tensor<1x64x8x8xf32, #memfmt.format<channels_last>>
}

// -----

// CHECK-LABEL: @contiguous
// CHECK: memfmt.kernel "conv.contiguous"
func.func @contiguous(%x: tensor<1x64x8x8xf32>, %w: tensor<16x64x3x3xf32>) -> tensor<1x16x8x8xf32> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x8x8xf32>, tensor<16x64x3x3xf32> -> tensor<1x16x8x8xf32>
  return %y : tensor<1x16x8x8xf32>
}

// -----

// Reads one format, writes the other: no conversion of an input image.

// CHECK-LABEL: @mixed
// CHECK: memfmt.kernel "conv.direct" ins(%arg0
// CHECK-SAME: memfmt.format = "contiguous to channels_last"
func.func @mixed(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<1x16x8x8xf32, #memfmt.format<channels_last>> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x8x8xf32, #memfmt.format<channels_last>>
  return %y : tensor<1x16x8x8xf32, #memfmt.format<channels_last>>
}

// -----

// What no kernel accepts gets its reference lowering, and nothing of memfmt.

// CHECK-LABEL: @reference
// CHECK-NOT: memfmt.kernel
// CHECK: linalg.generic
func.func @reference(%x: tensor<1x3x8xf32>, %w: tensor<16x3x3xf32>) -> tensor<1x16x6xf32> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : tensor<1x3x8xf32>, tensor<16x3x3xf32> -> tensor<1x16x6xf32>
  return %y : tensor<1x16x6xf32>
}

// -----

// A conversion is a kernel, too.

// CHECK-LABEL: @convert
// CHECK: memfmt.kernel "transpose" ins(%arg0 : tensor<1x3x8x8xf32>)
func.func @convert(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32, #memfmt.format<channels_last>> {
  %y = memfmt.to_format %x : tensor<1x3x8x8xf32> to tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
  return %y : tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
}
