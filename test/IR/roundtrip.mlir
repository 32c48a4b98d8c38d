// RUN: memfmt-opt %s --verify-roundtrip | FileCheck %s

// The notation of formats is a contract with other tools.

// CHECK-LABEL: @formats(
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4x5x6xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<?x3x?x5xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16, 0 : 16]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 2, 3, 1], blocks = [1 : 8]>>
func.func @formats(
    %0: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>,
    %1: tensor<2x3x4xf32, #memfmt.format<channels_last>>,
    %2: tensor<2x3x4x5x6xf32, #memfmt.format<channels_last>>,
    %3: tensor<?x3x?x5xf32, #memfmt.format<channels_last>>,
    %4: tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>,
    %5: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>,
    %6: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16]>>,
    %7: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16, 0 : 16]>>,
    %8: tensor<2x3x4x5xf32, #memfmt.format<[0, 2, 3, 1], blocks = [1 : 8]>>) {
  return
}

// A permutation that has a name is the name.

// CHECK-LABEL: @named(
// CHECK-SAME: tensor<2x3x4xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4x5x6xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3xf32, #memfmt.format<[1, 0]>>
func.func @named(
    %0: tensor<2x3x4xf32, #memfmt.format<[0, 2, 1]>>,
    %1: tensor<2x3x4x5xf32, #memfmt.format<[0, 2, 3, 1]>>,
    %2: tensor<2x3x4x5x6xf32, #memfmt.format<[0, 2, 3, 4, 1]>>,
    %3: tensor<2x3xf32, #memfmt.format<[1, 0]>>) {
  return
}

// CHECK-LABEL: @strided(
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.strided<[60, 1, 15, 3], offset: 0>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.strided<[?, 1, ?, 3], offset: ?>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.strided<[0, 1, -15, 3], offset: 45>>
// CHECK-SAME: tensor<f32, #memfmt.strided<[], offset: 7>>
func.func @strided(
    %0: tensor<2x3x4x5xf32, #memfmt.strided<[60, 1, 15, 3], offset: 0>>,
    %1: tensor<2x3x4x5xf32, #memfmt.strided<[?, 1, ?, 3], offset: ?>>,
    %2: tensor<2x3x4x5xf32, #memfmt.strided<[0, 1, -15, 3], offset: 45>>,
    %3: tensor<f32, #memfmt.strided<[], offset: 7>>) {
  return
}

// CHECK-LABEL: @to_format
// CHECK: memfmt.to_format %{{.*}} : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
func.func @to_format(%x: tensor<2x3x4x5xf32>) {
  %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return
}

// CHECK-LABEL: @pin
// CHECK: memfmt.pin %{{.*}} : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
func.func @pin(%x: tensor<2x3x4x5xf32>) {
  %y = memfmt.pin %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return
}

// CHECK-LABEL: @assert_format
// CHECK: memfmt.assert_format %{{.*}} : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> in #memfmt.format<channels_last>
func.func @assert_format(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) {
  %y = memfmt.assert_format %x : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> in #memfmt.format<channels_last>
  return
}

// CHECK-LABEL: @is_contiguous
// CHECK: memfmt.is_contiguous %{{.*}} : tensor<2x3x4x5xf32> in #memfmt.format<channels_last>
func.func @is_contiguous(%x: tensor<2x3x4x5xf32>) {
  %b = memfmt.is_contiguous %x : tensor<2x3x4x5xf32> in #memfmt.format<channels_last>
  return
}

// CHECK-LABEL: @empty_like
// CHECK: memfmt.empty_like preserve %{{.*}} : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
// CHECK: memfmt.empty_like contiguous %{{.*}} : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
// CHECK: memfmt.empty_like channels_last %{{.*}} : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.empty_like format %{{.*}} : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>
func.func @empty_like(%x: tensor<2x3x4x5xf32>) {
  %0 = memfmt.empty_like preserve %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
  %1 = memfmt.empty_like contiguous %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
  %2 = memfmt.empty_like channels_last %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  %3 = memfmt.empty_like format %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>
  return
}
