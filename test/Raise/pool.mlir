// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// An average counts its padding: a sum over padded images, divided by 9.

// CHECK-LABEL: @average
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x8x8xf32>)
// CHECK: memfmt.pool avg %[[X]] {dilations = array<i64: 1, 1, 1>, pad_high = array<i64: 0, 1, 1>, pad_low = array<i64: 0, 1, 1>, strides = array<i64: 1, 2, 2>, window = array<i64: 1, 3, 3>}
// CHECK-NOT: linalg.generic
#all5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
func.func @average(%x: tensor<2x3x4x8x8xf32>) -> tensor<2x3x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %nine = arith.constant 9.0 : f32
  %padded = tensor.pad %x low[0, 0, 0, 1, 1] high[0, 0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<2x3x4x8x8xf32> to tensor<2x3x4x10x10xf32>
  %et = tensor.empty() : tensor<2x4x10x10x3xf32>
  %t = linalg.transpose ins(%padded : tensor<2x3x4x10x10xf32>) outs(%et : tensor<2x4x10x10x3xf32>) permutation = [0, 2, 3, 4, 1]
  %window = tensor.empty() : tensor<1x3x3xf32>
  %e = tensor.empty() : tensor<2x4x4x4x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x4x3xf32>) -> tensor<2x4x4x4x3xf32>
  %s = linalg.pooling_ndhwc_sum {strides = dense<[1, 2, 2]> : tensor<3xi64>} ins(%t, %window : tensor<2x4x10x10x3xf32>, tensor<1x3x3xf32>) outs(%i : tensor<2x4x4x4x3xf32>) -> tensor<2x4x4x4x3xf32>
  %er = tensor.empty() : tensor<2x3x4x4x4xf32>
  %r = linalg.transpose ins(%s : tensor<2x4x4x4x3xf32>) outs(%er : tensor<2x3x4x4x4xf32>) permutation = [0, 4, 1, 2, 3]
  %y = linalg.generic {indexing_maps = [#all5, #all5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<2x3x4x4x4xf32>) outs(%er : tensor<2x3x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.divf %in, %nine : f32
    linalg.yield %q : f32
  } -> tensor<2x3x4x4x4xf32>
  return %y : tensor<2x3x4x4x4xf32>
}

// -----

// Division by what the window covers, as torch-mlir writes count_include_pad =
// false: 2 at the first position along an axis of 5 with padding 1, 3 elsewhere
// but at the last.

// CHECK-LABEL: @exclude_pad
// CHECK: memfmt.pool avg %{{.*}} {dilations = array<i64: 1>, exclude_pad, pad_high = array<i64: 1>, pad_low = array<i64: 1>, strides = array<i64: 1>, window = array<i64: 3>}
// CHECK-NOT: linalg.generic
#all3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @exclude_pad(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c5 = arith.constant 5 : i64
  %padded = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x3x5xf32> to tensor<2x3x7xf32>
  %window = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %s = linalg.pooling_ncw_sum ins(%padded, %window : tensor<2x3x7xf32>, tensor<3xf32>) outs(%i : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %y = linalg.generic {indexing_maps = [#all3, #all3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %o = linalg.index 2 : index
    %o64 = arith.index_cast %o : index to i64
    %first = arith.subi %o64, %c1 : i64
    %begin = arith.maxsi %first, %c0 : i64
    %last = arith.addi %o64, %c2 : i64
    %end = arith.minsi %last, %c5 : i64
    %count = arith.subi %end, %begin : i64
    %divisor = arith.sitofp %count : i64 to f32
    %q = arith.divf %in, %divisor : f32
    linalg.yield %q : f32
  } -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// One element less at the end is no average.

// CHECK-LABEL: @other_count
// CHECK: memfmt.pool sum
// CHECK: linalg.generic
#all3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @other_count(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %padded = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x3x5xf32> to tensor<2x3x7xf32>
  %window = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %s = linalg.pooling_ncw_sum ins(%padded, %window : tensor<2x3x7xf32>, tensor<3xf32>) outs(%i : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %y = linalg.generic {indexing_maps = [#all3, #all3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %o = linalg.index 2 : index
    %o64 = arith.index_cast %o : index to i64
    %first = arith.subi %o64, %c1 : i64
    %begin = arith.maxsi %first, %c0 : i64
    %last = arith.addi %o64, %c2 : i64
    %end = arith.minsi %last, %c4 : i64
    %count = arith.subi %end, %begin : i64
    %divisor = arith.sitofp %count : i64 to f32
    %q = arith.divf %in, %divisor : f32
    linalg.yield %q : f32
  } -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// A global average over NHWC that drops its axes.

// CHECK-LABEL: @global
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x6x3xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<2x4x6x3xf32>) {{.*}} permutation = [0, 3, 1, 2]
// CHECK: %[[P:.*]] = memfmt.pool avg %[[T]] {{.*}}window = array<i64: 4, 6>
// CHECK: %[[Y:.*]] = tensor.collapse_shape %[[P]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]] : tensor<2x3xf32>
func.func @global(%x: tensor<2x4x6x3xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 24.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%x : tensor<2x4x6x3xf32>) outs(%i : tensor<2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.divf %in, %count : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A maximum that starts from zero is none over negative elements; zeros around
// an image are no padding of a maximum.

// CHECK-LABEL: @other_start
// CHECK-NOT: memfmt.pool
// CHECK: linalg.pooling_nhwc_max
func.func @other_start(%x: tensor<2x4x6x3xf32>) -> tensor<2x3x5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x3x5x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  %y = linalg.pooling_nhwc_max ins(%x, %window : tensor<2x4x6x3xf32>, tensor<2x2xf32>) outs(%i : tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  return %y : tensor<2x3x5x3xf32>
}

// -----

// CHECK-LABEL: @zeros_around_maximum
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: memfmt.pool max %[[P]] {{.*}}pad_high = array<i64: 0>, pad_low = array<i64: 0>
func.func @zeros_around_maximum(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x3x5xf32> to tensor<2x3x7xf32>
  %window = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %i = linalg.fill ins(%lowest : f32) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %y = linalg.pooling_ncw_max ins(%padded, %window : tensor<2x3x7xf32>, tensor<3xf32>) outs(%i : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
