// RUN: memfmt-opt %s --memfmt-propagate --split-input-file --verify-diagnostics | FileCheck %s

// Queries and assertions speak of the formats that propagation finds; then they
// are gone.

#cl = #memfmt.format<channels_last>
#rows = #memfmt.format<[0, 1, 2, 3]>

// CHECK-LABEL: @queries
// CHECK-NOT: memfmt.is_contiguous
// CHECK-NOT: memfmt.assert_format
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: return %[[TRUE]], %[[FALSE]]
func.func @queries(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>, %w: tensor<6x3x1x1xf32>) -> (i1, i1) {
  %y = memfmt.conv %x, %w
    {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
     dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x3x4x5xf32, #cl>, tensor<6x3x1x1xf32> -> tensor<2x6x4x5xf32>
  %z = memfmt.assert_format %y : tensor<2x6x4x5xf32> in #cl
  %0 = memfmt.is_contiguous %z : tensor<2x6x4x5xf32> in #cl
  %1 = memfmt.is_contiguous %z : tensor<2x6x4x5xf32> in #rows
  return %0, %1 : i1, i1
}

// CHECK-LABEL: @preserve
// CHECK: memfmt.empty_like preserve {{.*}} -> tensor<2x6x4x5xf32, #memfmt.format<channels_last>>
func.func @preserve(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>, %w: tensor<6x3x1x1xf32>) -> i1 {
  %y = memfmt.conv %x, %w
    {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
     dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<2x3x4x5xf32, #cl>, tensor<6x3x1x1xf32> -> tensor<2x6x4x5xf32>
  %z = memfmt.empty_like preserve %y : tensor<2x6x4x5xf32> -> tensor<2x6x4x5xf32>
  %0 = memfmt.is_contiguous %z : tensor<2x6x4x5xf32> in #cl
  return %0 : i1
}

// -----

func.func @wrong(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  // expected-error@+1 {{asserts #memfmt.format<channels_last>, but the value has type 'tensor<2x3x4x5xf32>'; convert it with `memfmt.to_format` before}}
  %y = memfmt.assert_format %x : tensor<2x3x4x5xf32> in #memfmt.format<channels_last>
  return %y : tensor<2x3x4x5xf32>
}
