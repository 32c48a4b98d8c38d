// Operations that give back their input, and pairs that undo each other.
// RUN: memfmt-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @identities
// CHECK-NOT: memfmt.
// CHECK: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @identities(%x: tensor<2x4x4x4xf32>)
    -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>,
        tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) {
  %0 = memfmt.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 0>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %1 = memfmt.flip %x {axes = array<i64>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %2 = memfmt.roll %x {axes = array<i64: 1>, shifts = array<i64: 0>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %3 = memfmt.repeat %x {repeats = array<i64: 1, 1, 1, 1>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %4 = memfmt.pixel_shuffle %x {factor = 1 : i64} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %5 = memfmt.channel_shuffle %x {groups = 1 : i64} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %6 = memfmt.permute %x {permutation = array<i64: 0, 1, 2, 3>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %7 = memfmt.reshape %x : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %8 = memfmt.expand %x : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %9 = memfmt.dropout %x {probability = 0.5 : f64} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>,
    tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>,
    tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
}

// CHECK-LABEL: func @pairs
// CHECK-NOT: memfmt.
// CHECK: return %arg0, %arg0, %arg0, %arg0, %arg0
func.func @pairs(%x: tensor<2x4x4x4xf32>)
    -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) {
  %0 = memfmt.permute %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %1 = memfmt.permute %0 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %2 = memfmt.reshape %x : (tensor<2x4x4x4xf32>) -> tensor<2x64xf32>
  %3 = memfmt.reshape %2 : (tensor<2x64xf32>) -> tensor<2x4x4x4xf32>
  %4 = memfmt.unsqueeze %x {axis = 1 : i64} : (tensor<2x4x4x4xf32>) -> tensor<2x1x4x4x4xf32>
  %5 = memfmt.squeeze %4 {axes = array<i64: 1>} : (tensor<2x1x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %6 = memfmt.flip %x {axes = array<i64: 2, 3>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %7 = memfmt.flip %6 {axes = array<i64: 2, 3>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %8 = memfmt.pixel_shuffle %x {factor = 2 : i64} : (tensor<2x4x4x4xf32>) -> tensor<2x1x8x8xf32>
  %9 = memfmt.pixel_unshuffle %8 {factor = 2 : i64} : (tensor<2x1x8x8xf32>) -> tensor<2x4x4x4xf32>
  return %1, %3, %5, %7, %9 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
}

// Another format is not the same value.
// CHECK-LABEL: func @another_format
// CHECK: memfmt.flip
func.func @another_format(%x: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32, #memfmt.format<channels_last>> {
  %0 = memfmt.flip %x {axes = array<i64>} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32, #memfmt.format<channels_last>>
  return %0 : tensor<2x4x4x4xf32, #memfmt.format<channels_last>>
}

// What was asked for goes: `to` with nothing asked for is its operand, a copy stays.
// CHECK-LABEL: func @requests
// CHECK: %[[C:.*]] = memfmt.request_format clone preserve %arg0
// CHECK: return %arg0, %[[C]]
func.func @requests(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = memfmt.request_format to preserve %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = memfmt.request_format clone preserve %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
