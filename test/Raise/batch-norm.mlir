// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// All in one operation, 1 / sqrt as a division, factors in another order.

// CHECK-LABEL: @one_generic
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>, %[[MEAN:.*]]: tensor<4xf32>, %[[VARIANCE:.*]]: tensor<4xf32>, %[[SCALE:.*]]: tensor<4xf32>, %[[OFFSET:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.batch_norm %[[X]], %[[MEAN]], %[[VARIANCE]], %[[SCALE]], %[[OFFSET]] {epsilon = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
func.func @one_generic(%x: tensor<2x4x8xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %scale: tensor<4xf32>, %offset: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %epsilon = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %variance, %scale, %offset : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %m: f32, %v: f32, %s: f32, %o: f32, %out: f32):
    %0 = arith.addf %epsilon, %v : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.divf %one, %1 : f32
    %3 = arith.mulf %2, %s : f32
    %4 = arith.subf %a, %m : f32
    %5 = arith.mulf %3, %4 : f32
    %6 = arith.addf %o, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// Vectors as (1, C, 1), one of them a constant for all channels, the variance
// with epsilon added already: what importers of ONNX make.

// CHECK-LABEL: @constants
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>, %[[MEAN:.*]]: tensor<1x4x1xf32>, %[[SCALE:.*]]: tensor<1x4x1xf32>)
// CHECK-DAG: %[[VARIANCE:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[OFFSET:.*]] = arith.constant dense<7.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[M:.*]] = tensor.collapse_shape %[[MEAN]]
// CHECK-DAG: %[[S:.*]] = tensor.collapse_shape %[[SCALE]]
// CHECK: memfmt.batch_norm %[[X]], %[[M]], %[[VARIANCE]], %[[S]], %[[OFFSET]] {epsilon = 0.000000e+00 : f64}
// CHECK-NOT: linalg.generic
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (0, d1, 0)>
func.func @constants(%x: tensor<2x4x8xf32>, %mean: tensor<1x4x1xf32>, %scale: tensor<1x4x1xf32>) -> tensor<2x4x8xf32> {
  %variance = arith.constant dense<4.0> : tensor<1x4x1xf32>
  %offset = arith.constant dense<7.0> : tensor<1x4x1xf32>
  %ev = tensor.empty() : tensor<1x4x1xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %inverse = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%variance : tensor<1x4x1xf32>) outs(%ev : tensor<1x4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<1x4x1xf32>
  %0 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mean : tensor<2x4x8xf32>, tensor<1x4x1xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  %1 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %inverse : tensor<2x4x8xf32>, tensor<1x4x1xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  %2 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %scale : tensor<2x4x8xf32>, tensor<1x4x1xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  %3 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %offset : tensor<2x4x8xf32>, tensor<1x4x1xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  return %3 : tensor<2x4x8xf32>
}

// -----

// The mean runs along the last axis: no statistics of channels.

// CHECK-LABEL: @other_axis
// CHECK-NOT: memfmt.batch_norm
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
#last = affine_map<(d0, d1, d2) -> (d2)>
func.func @other_axis(%x: tensor<2x4x4xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %scale: tensor<4xf32>, %offset: tensor<4xf32>) -> tensor<2x4x4xf32> {
  %epsilon = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #last, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %variance, %scale, %offset : tensor<2x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x4x4xf32>) {
  ^bb0(%a: f32, %m: f32, %v: f32, %s: f32, %o: f32, %out: f32):
    %0 = arith.addf %v, %epsilon : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.subf %a, %m : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %s : f32
    %5 = arith.addf %4, %o : f32
    linalg.yield %5 : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// The difference the other way round.

// CHECK-LABEL: @other_sign
// CHECK-NOT: memfmt.batch_norm
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
func.func @other_sign(%x: tensor<2x4x4xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %scale: tensor<4xf32>, %offset: tensor<4xf32>) -> tensor<2x4x4xf32> {
  %epsilon = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #channel, #channel, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %variance, %scale, %offset : tensor<2x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x4x4xf32>) {
  ^bb0(%a: f32, %m: f32, %v: f32, %s: f32, %o: f32, %out: f32):
    %0 = arith.addf %v, %epsilon : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.subf %m, %a : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %s : f32
    %5 = arith.addf %4, %o : f32
    linalg.yield %5 : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}
