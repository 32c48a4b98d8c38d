// RUN: memfmt-opt %s --memfmt-assign=target=avx2 --memfmt-verify-assignment=target=avx2 --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-assign=target=avx2 --split-input-file -o %t.once
// RUN: memfmt-opt %t.once --memfmt-assign=target=avx2 --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// One big convolution gains more from channels-last than the conversions around
// it cost (assignment.md, E1a: wrapping; here with prices of a target).

// CHECK: module attributes {memfmt.assignment = {contiguous = {{[0-9]+}} : i64, cost = [[COST:[0-9]+]] : i64, lower_bound = [[COST]] : i64
// CHECK-SAME: memfmt.certificate =
// CHECK-LABEL: @converts
// CHECK: %[[X:.*]] = memfmt.to_format %{{.*}} : tensor<1x64x56x56xf32> to tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.conv %[[X]], {{.*}} -> tensor<1x256x56x56xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.to_format
// CHECK-NOT: memfmt.to_format
module {
func.func @converts(%x: tensor<1x64x56x56xf32>, %w: tensor<256x64x3x3xf32>) -> tensor<1x256x56x56xf32> {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x56x56xf32>, tensor<256x64x3x3xf32> -> tensor<1x256x56x56xf32>
  return %y : tensor<1x256x56x56xf32>
}
}

// -----

// A value that two channels-last convolutions read is converted once
// (assignment.md, E2a).

// CHECK-LABEL: @shares
// CHECK: %[[X:.*]] = memfmt.to_format %arg0 {{.*}} to tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
// CHECK-NOT: memfmt.to_format
// CHECK: memfmt.conv %[[X]]
// CHECK: memfmt.conv %[[X]]
// CHECK-NOT: memfmt.to_format
// CHECK: return
module {
func.func @shares(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> (tensor<1x64x56x56xf32, #memfmt.format<channels_last>>, tensor<1x64x56x56xf32, #memfmt.format<channels_last>>) {
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x56x56xf32>
  %z = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x56x56xf32>
  %p = memfmt.to_format %y : tensor<1x64x56x56xf32> to tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
  %q = memfmt.to_format %z : tensor<1x64x56x56xf32> to tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
  return %p, %q : tensor<1x64x56x56xf32, #memfmt.format<channels_last>>, tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
}
}

// -----

// Conversions that the user wrote are wishes: there and back again goes.

// CHECK-LABEL: @wishes
// CHECK-NOT: memfmt.to_format
// CHECK: return %arg0
module {
func.func @wishes(%x: tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32> {
  %y = memfmt.to_format %x : tensor<1x8x5x5xf32> to tensor<1x8x5x5xf32, #memfmt.format<channels_last>>
  %z = memfmt.to_format %y : tensor<1x8x5x5xf32, #memfmt.format<channels_last>> to tensor<1x8x5x5xf32>
  return %z : tensor<1x8x5x5xf32>
}
}

// -----

// A pin is a constraint.

// CHECK-LABEL: @pins
// CHECK: %[[Y:.*]] = memfmt.to_format %arg0
// CHECK: %[[P:.*]] = memfmt.pin %[[Y]] : tensor<1x8x5x5xf32, #memfmt.format<channels_last>> to tensor<1x8x5x5xf32, #memfmt.format<channels_last>>
// CHECK: %[[Z:.*]] = memfmt.to_format %[[P]]
// CHECK: return %[[Z]]
module {
func.func @pins(%x: tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32> {
  %y = memfmt.pin %x : tensor<1x8x5x5xf32> to tensor<1x8x5x5xf32, #memfmt.format<channels_last>>
  %z = memfmt.to_format %y : tensor<1x8x5x5xf32, #memfmt.format<channels_last>> to tensor<1x8x5x5xf32>
  return %z : tensor<1x8x5x5xf32>
}
}

// -----

// In a loop: what does not change is converted once outside (assignment.md, 2.2).

// CHECK-LABEL: @hoists
// CHECK: %[[X:.*]] = memfmt.to_format %arg0
// CHECK: scf.for
// CHECK-NOT: memfmt.to_format %arg0
// CHECK: memfmt.conv %[[X]]
module {
func.func @hoists(%x: tensor<1x64x28x28xf32>, %w: tensor<64x64x3x3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%sum = %zero) -> (f32) {
    %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x28x28xf32>
    %e = tensor.extract %y[%c0, %i, %i, %i] : tensor<1x64x28x28xf32>
    %next = arith.addf %sum, %e : f32
    scf.yield %next : f32
  }
  return %r : f32
}
}

// -----

// Formats of other kinds at the boundary stay what they are; nothing is
// converted where a value is handed on.

// CHECK-LABEL: @foreign
// CHECK-NOT: memfmt.to_format
// CHECK: return %arg0
module {
func.func @foreign(%x: tensor<1x8x5x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>>) -> tensor<1x8x5x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>> {
  return %x : tensor<1x8x5x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 8]>>
}
}

// -----

// Size 1: both formats are the same memory, and changing between them is free.

// CHECK: cost = 0 : i64
// CHECK-LABEL: @same_memory
module {
func.func @same_memory(%x: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32, #memfmt.format<channels_last>> {
  %y = memfmt.to_format %x : tensor<1x8x1x1xf32> to tensor<1x8x1x1xf32, #memfmt.format<channels_last>>
  return %y : tensor<1x8x1x1xf32, #memfmt.format<channels_last>>
}
}

// -----

// The body of a computation reads a tensor by logical indices: converted once,
// outside of it (the upsampling of torch-mlir is written so).

// CHECK-LABEL: @captured
// CHECK: %[[Y:.*]] = memfmt.conv {{.*}} -> tensor<1x64x56x56xf32, #memfmt.format<channels_last>>
// CHECK: %[[C:.*]] = memfmt.to_format %[[Y]] {{.*}}memfmt.reason = "{{[0-9]+}}.memfmt.conv:1 makes channels_last, tensor.extract reads contiguous"
// CHECK: linalg.generic
// CHECK: tensor.extract %[[C]]
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
func.func @captured(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x112x112xf32> {
  %c2 = arith.constant 2 : index
  %y = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x56x56xf32>
  %e = tensor.empty() : tensor<1x64x112x112xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x64x112x112xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %v = linalg.index 3 : index
    %h2 = arith.divui %h, %c2 : index
    %v2 = arith.divui %v, %c2 : index
    %r = tensor.extract %y[%n, %c, %h2, %v2] : tensor<1x64x56x56xf32>
    linalg.yield %r : f32
  } -> tensor<1x64x112x112xf32>
  return %z : tensor<1x64x112x112xf32>
}
}
