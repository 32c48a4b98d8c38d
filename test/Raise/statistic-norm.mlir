// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s
// RUN: sed 's/constant 0.5 : f32/constant -0.5 : f32/' %s | memfmt-opt --memfmt-raise --split-input-file | FileCheck %s --check-prefix=NEGATIVE

// A negative number beside the variance is no epsilon.
// NEGATIVE-NOT: memfmt.{{layer|instance|group}}_norm
// NEGATIVE: math.rsqrt
// NEGATIVE-NOT: memfmt.{{layer|instance|group}}_norm

// Statistics of the last axis.

// CHECK-LABEL: @layer_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>, %[[S:.*]]: tensor<5xf32>, %[[O:.*]]: tensor<5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.layer_norm %[[X]] scale %[[S]] offset %[[O]] {epsilon = 5.000000e-01 : f64, num_axes = 1 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<2x3x4x5xf32>, %s: tensor<5xf32>, %o: tensor<5xf32>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %five = arith.constant 5.0 : f32
  %0 = tensor.empty() : tensor<2x3x4x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%1 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %3 = tensor.empty() : tensor<2x3x4x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x4x1xf32>) outs(%3 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %five : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %5 = tensor.empty() : tensor<2x3x4x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %4 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%5 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %7 = tensor.empty() : tensor<2x3x4x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) outs(%7 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %9 = tensor.empty() : tensor<2x3x4x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x3x4x5xf32>) outs(%10 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %12 = tensor.empty() : tensor<2x3x4x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x3x4x1xf32>) outs(%12 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %five : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %14 = tensor.empty() : tensor<2x3x4x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x4x1xf32>) outs(%14 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %16 = tensor.empty() : tensor<2x3x4x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x3x4x1xf32>) outs(%16 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.rsqrt %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %18 = tensor.empty() : tensor<2x3x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %17 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%18 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %20 = tensor.empty() : tensor<2x3x4x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %s : tensor<2x3x4x5xf32>, tensor<5xf32>) outs(%20 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %22 = tensor.empty() : tensor<2x3x4x5xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %o : tensor<2x3x4x5xf32>, tensor<5xf32>) outs(%22 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  return %23 : tensor<2x3x4x5xf32>
}

// -----

// Statistics of every image, scales of channels.

// CHECK-LABEL: @instance_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>, %[[S:.*]]: tensor<3xf32>, %[[O:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.instance_norm %[[X]] scale %[[S]] offset %[[O]] {epsilon = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @instance_norm(%x: tensor<2x3x4x5xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %twenty = arith.constant 20.0 : f32
  %0 = tensor.empty() : tensor<2x3x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%1 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %3 = tensor.empty() : tensor<2x3x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x1x1xf32>) outs(%3 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %twenty : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %5 = tensor.empty() : tensor<2x3x4x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %4 : tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) outs(%5 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %7 = tensor.empty() : tensor<2x3x4x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) outs(%7 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %9 = tensor.empty() : tensor<2x3x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%8 : tensor<2x3x4x5xf32>) outs(%10 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %12 = tensor.empty() : tensor<2x3x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x3x1x1xf32>) outs(%12 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %twenty : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %14 = tensor.empty() : tensor<2x3x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x1x1xf32>) outs(%14 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %16 = tensor.empty() : tensor<2x3x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x3x1x1xf32>) outs(%16 : tensor<2x3x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.rsqrt %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x1x1xf32>
  %18 = tensor.empty() : tensor<2x3x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %17 : tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) outs(%18 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %20 = tensor.empty() : tensor<2x3x4x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %s : tensor<2x3x4x5xf32>, tensor<3xf32>) outs(%20 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %22 = tensor.empty() : tensor<2x3x4x5xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %o : tensor<2x3x4x5xf32>, tensor<3xf32>) outs(%22 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  return %23 : tensor<2x3x4x5xf32>
}

// -----

// Two groups of three channels, split and joined by reshapes.

// CHECK-LABEL: @group_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x20xf32>, %[[S:.*]]: tensor<6xf32>, %[[O:.*]]: tensor<6xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.group_norm %[[X]] scale %[[S]] offset %[[O]] {epsilon = 5.000000e-01 : f64, groups = 2 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @group_norm(%x: tensor<2x6x20xf32>, %s: tensor<6xf32>, %o: tensor<6xf32>) -> tensor<2x6x20xf32> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %sixty = arith.constant 60.0 : f32
  %v = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, 2, 3, 20] : tensor<2x6x20xf32> into tensor<2x2x3x20xf32>
  %0 = tensor.empty() : tensor<2x2x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%v : tensor<2x2x3x20xf32>) outs(%1 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %3 = tensor.empty() : tensor<2x2x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x1x1xf32>) outs(%3 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %sixty : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %5 = tensor.empty() : tensor<2x2x3x20xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v, %4 : tensor<2x2x3x20xf32>, tensor<2x2x1x1xf32>) outs(%5 : tensor<2x2x3x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x20xf32>
  %7 = tensor.empty() : tensor<2x2x3x20xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x2x3x20xf32>, tensor<2x2x3x20xf32>) outs(%7 : tensor<2x2x3x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x20xf32>
  %9 = tensor.empty() : tensor<2x2x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%8 : tensor<2x2x3x20xf32>) outs(%10 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %12 = tensor.empty() : tensor<2x2x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x2x1x1xf32>) outs(%12 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %sixty : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %14 = tensor.empty() : tensor<2x2x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x2x1x1xf32>) outs(%14 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %16 = tensor.empty() : tensor<2x2x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x2x1x1xf32>) outs(%16 : tensor<2x2x1x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.rsqrt %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x1x1xf32>
  %18 = tensor.empty() : tensor<2x2x3x20xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %17 : tensor<2x2x3x20xf32>, tensor<2x2x1x1xf32>) outs(%18 : tensor<2x2x3x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x20xf32>
  %c = tensor.collapse_shape %19 [[0], [1, 2], [3]] : tensor<2x2x3x20xf32> into tensor<2x6x20xf32>
  %20 = tensor.empty() : tensor<2x6x20xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c, %s : tensor<2x6x20xf32>, tensor<6xf32>) outs(%20 : tensor<2x6x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x20xf32>
  %22 = tensor.empty() : tensor<2x6x20xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %o : tensor<2x6x20xf32>, tensor<6xf32>) outs(%22 : tensor<2x6x20xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.addf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x6x20xf32>
  return %23 : tensor<2x6x20xf32>
}

// -----

// Divided by one element less, as an unbiased variance is; the product of the
// centred input and the input is no square.

// CHECK-LABEL: @other_count
// CHECK-NOT: memfmt.layer_norm
// CHECK: math.rsqrt
// CHECK-LABEL: @other_square
// CHECK-NOT: memfmt.layer_norm
// CHECK: math.rsqrt
func.func @other_count(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %0 = tensor.empty() : tensor<2x3x4x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%1 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %3 = tensor.empty() : tensor<2x3x4x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x4x1xf32>) outs(%3 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %four : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %5 = tensor.empty() : tensor<2x3x4x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %4 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%5 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %7 = tensor.empty() : tensor<2x3x4x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) outs(%7 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %9 = tensor.empty() : tensor<2x3x4x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x3x4x5xf32>) outs(%10 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %12 = tensor.empty() : tensor<2x3x4x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x3x4x1xf32>) outs(%12 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %four : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %14 = tensor.empty() : tensor<2x3x4x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x4x1xf32>) outs(%14 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %16 = tensor.empty() : tensor<2x3x4x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x3x4x1xf32>) outs(%16 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.rsqrt %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %18 = tensor.empty() : tensor<2x3x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %17 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%18 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  return %19 : tensor<2x3x4x5xf32>
}
func.func @other_square(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %five = arith.constant 5.0 : f32
  %0 = tensor.empty() : tensor<2x3x4x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%1 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %3 = tensor.empty() : tensor<2x3x4x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x4x1xf32>) outs(%3 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %five : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %5 = tensor.empty() : tensor<2x3x4x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %4 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%5 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.subf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %7 = tensor.empty() : tensor<2x3x4x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %x : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) outs(%7 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %9 = tensor.empty() : tensor<2x3x4x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x3x4x5xf32>) outs(%10 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %out : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %12 = tensor.empty() : tensor<2x3x4x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x3x4x1xf32>) outs(%12 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.divf %in0, %five : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %14 = tensor.empty() : tensor<2x3x4x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x4x1xf32>) outs(%14 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = arith.addf %in0, %epsilon : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %16 = tensor.empty() : tensor<2x3x4x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x3x4x1xf32>) outs(%16 : tensor<2x3x4x1xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %r = math.rsqrt %in0 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x1xf32>
  %18 = tensor.empty() : tensor<2x3x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %17 : tensor<2x3x4x5xf32>, tensor<2x3x4x1xf32>) outs(%18 : tensor<2x3x4x5xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %r = arith.mulf %in0, %in1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  return %19 : tensor<2x3x4x5xf32>
}
