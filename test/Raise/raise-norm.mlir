// RUN: memfmt-opt %s --memfmt-raise | FileCheck %s

// (x - mean) / sqrt(variance + epsilon) * scale + offset, one operation each, as
// torch-mlir spells batch norm.

// CHECK-LABEL: @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x8x8xf32>, %[[MEAN:.*]]: tensor<4xf32>, %[[VARIANCE:.*]]: tensor<4xf32>, %[[SCALE:.*]]: tensor<4xf32>, %[[OFFSET:.*]]: tensor<4xf32>)
// CHECK: %[[Y:.*]] = memfmt.batch_norm %[[X]], %[[MEAN]], %[[VARIANCE]], %[[SCALE]], %[[OFFSET]] {epsilon = {{1.0+e-05|1.000000e-05|9.99999[0-9]+E-6}} : f64}
// CHECK-NEXT: return %[[Y]]
#v = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
func.func @batch_norm(%x: tensor<1x4x8x8xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %scale: tensor<4xf32>, %offset: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %epsilon = arith.constant 1.0e-05 : f32
  %ev = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %sum = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%variance : tensor<4xf32>) outs(%ev : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.addf %a, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %inverse = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%sum : tensor<4xf32>) outs(%ev : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %m = tensor.expand_shape %mean [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %i = tensor.expand_shape %inverse [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %s = tensor.expand_shape %scale [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %o = tensor.expand_shape %offset [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %m : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %i : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x4x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %s : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x4x8x8xf32>
  %3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %o : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x4x8x8xf32>
  return %3 : tensor<1x4x8x8xf32>
}
