// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// A network written in NHWC: permutations stay at its boundary only, the padding
// and the bias are those of the convolutions.

// CHECK-LABEL: @nhwc_network
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x3xf32>, %[[W1:.*]]: tensor<3x3x3x4xf32>, %[[W2:.*]]: tensor<3x3x4x5xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-DAG: linalg.transpose ins(%[[X]] : tensor<2x8x9x3xf32>) {{.*}} permutation = [0, 3, 1, 2]
// CHECK-DAG: linalg.transpose ins(%[[W1]] : tensor<3x3x3x4xf32>) {{.*}} permutation = [3, 2, 0, 1]
// CHECK: %[[Y1:.*]] = memfmt.conv %{{.*}} bias(%[[B]] : tensor<4xf32>) {{.*}}pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>
// CHECK-NOT: linalg.transpose
// CHECK: %[[A:.*]] = memfmt.elementwise relu %[[Y1]] :
// CHECK: linalg.transpose ins(%[[W2]] : tensor<3x3x4x5xf32>) {{.*}} permutation = [3, 2, 0, 1]
// CHECK-NOT: linalg.transpose
// CHECK: %[[Y2:.*]] = memfmt.conv %[[A]]
// CHECK: linalg.transpose ins(%[[Y2]] : tensor<2x5x6x7xf32>) {{.*}} permutation = [0, 2, 3, 1]
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @nhwc_network(%x: tensor<2x8x9x3xf32>, %w1: tensor<3x3x3x4xf32>, %w2: tensor<3x3x4x5xf32>, %b: tensor<4xf32>) -> tensor<2x6x7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x9x3xf32> to tensor<2x10x11x3xf32>
  %e1 = tensor.empty() : tensor<2x8x9x4xf32>
  %i1 = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e1 : tensor<2x8x9x4xf32>) dimensions = [0, 1, 2]
  %y1 = linalg.conv_2d_nhwc_hwcf ins(%padded, %w1 : tensor<2x10x11x3xf32>, tensor<3x3x3x4xf32>) outs(%i1 : tensor<2x8x9x4xf32>) -> tensor<2x8x9x4xf32>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y1 : tensor<2x8x9x4xf32>) outs(%e1 : tensor<2x8x9x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x8x9x4xf32>
  %e2 = tensor.empty() : tensor<2x6x7x5xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32>
  %y2 = linalg.conv_2d_nhwc_hwcf ins(%a, %w2 : tensor<2x8x9x4xf32>, tensor<3x3x4x5xf32>) outs(%i2 : tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32>
  return %y2 : tensor<2x6x7x5xf32>
}

// -----

// Groups with a bias, as torch-mlir writes them: channels split around it.

// CHECK-LABEL: @grouped
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x8x8xf32>, %[[W:.*]]: tensor<2x5x3x3x3xf32>, %[[B:.*]]: tensor<10xf32>)
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[W]]
// CHECK: %[[Y:.*]] = memfmt.conv %[[X]], %[[F]] bias(%[[B]] : tensor<10xf32>) {{.*}}groups = 2 : i64
// CHECK-NEXT: return %[[Y]]
func.func @grouped(%x: tensor<2x6x8x8xf32>, %w: tensor<2x5x3x3x3xf32>, %b: tensor<10xf32>) -> tensor<2x10x6x6xf32> {
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 2, 3, 8, 8] : tensor<2x6x8x8xf32> into tensor<2x2x3x8x8xf32>
  %e = tensor.empty() : tensor<2x10x6x6xf32>
  %s = linalg.broadcast ins(%b : tensor<10xf32>) outs(%e : tensor<2x10x6x6xf32>) dimensions = [0, 2, 3]
  %i = tensor.expand_shape %s [[0], [1, 2], [3], [4]] output_shape [2, 2, 5, 6, 6] : tensor<2x10x6x6xf32> into tensor<2x2x5x6x6xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%g, %w : tensor<2x2x3x8x8xf32>, tensor<2x5x3x3x3xf32>) outs(%i : tensor<2x2x5x6x6xf32>) -> tensor<2x2x5x6x6xf32>
  %r = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<2x2x5x6x6xf32> into tensor<2x10x6x6xf32>
  return %r : tensor<2x10x6x6xf32>
}

// -----

// One constant for all elements is a bias, too.

// CHECK-LABEL: @filled
// CHECK: %[[B:.*]] = arith.constant dense<2.500000e-01> : tensor<4xf32>
// CHECK: memfmt.conv %{{.*}} bias(%[[B]] : tensor<4xf32>)
func.func @filled(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32> {
  %i = arith.constant dense<0.25> : tensor<2x4x6x6xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%i : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  return %y : tensor<2x4x6x6xf32>
}

// -----

// A generic with the loops of a convolution is one.

// CHECK-LABEL: @generic
// CHECK: memfmt.conv %{{.*}}strides = array<i64: 2>
// CHECK-NOT: linalg.generic
func.func @generic(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, o, c, k) -> (n, c, o * 2 + k)>, affine_map<(n, f, o, c, k) -> (f, c, k)>, affine_map<(n, f, o, c, k) -> (n, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%i : tensor<2x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// Its loops alone do not make a convolution.

// CHECK-LABEL: @other_body
// CHECK-NOT: memfmt.conv
// CHECK: linalg.generic
func.func @other_body(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, o, c, k) -> (n, c, o + k)>, affine_map<(n, f, o, c, k) -> (f, c, k)>, affine_map<(n, f, o, c, k) -> (n, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%i : tensor<2x4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.subf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x7xf32>
  return %y : tensor<2x4x7xf32>
}

// -----

// A row added to each image is no bias of channels.

// CHECK-LABEL: @row
// CHECK-NOT: memfmt.conv
// CHECK: linalg.conv_2d_nchw_fchw
func.func @row(%x: tensor<2x3x8x8xf32>, %w: tensor<6x3x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x6x6xf32> {
  %e = tensor.empty() : tensor<2x6x6x6xf32>
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<2x6x6x6xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x8x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<2x6x6x6xf32>) -> tensor<2x6x6x6xf32>
  return %y : tensor<2x6x6x6xf32>
}

// -----

// Rows and columns behind the last window are not read.

// CHECK-LABEL: @more_input
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 3, 7, 8] [1, 1, 1, 1] : tensor<2x3x9x8xf32> to tensor<2x3x7x8xf32>
// CHECK: memfmt.conv %[[X]]
func.func @more_input(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x5x6xf32> {
  %i = arith.constant dense<0.0> : tensor<2x4x5x6xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) outs(%i : tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
  return %y : tensor<2x4x5x6xf32>
}

// -----

// Sizes that are not known, where no axes are joined or split.

// CHECK-LABEL: @dynamic
// CHECK: memfmt.conv %{{.*}} : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
// CHECK-LABEL: @dynamic_groups
// CHECK-NOT: memfmt.conv
func.func @dynamic(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %e: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%i : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
func.func @dynamic_groups(%x: tensor<?x?x?x?x?xf32>, %w: tensor<?x?x?x?x?xf32>, %e: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%i : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

// -----

// Sizes that only the result knows stay known.
// CHECK-LABEL: @dynamic_transposition
// CHECK: linalg.generic
// CHECK: } -> tensor<2x4x5x3xf32>
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @dynamic_transposition(%x: tensor<2x3x?x?xf32>, %e0: tensor<2x?x?x3xf32>) -> tensor<2x4x5x3xf32> {
  %t = linalg.transpose ins(%x : tensor<2x3x?x?xf32>) outs(%e0 : tensor<2x?x?x3xf32>) permutation = [0, 2, 3, 1]
  %e = tensor.empty() : tensor<2x4x5x3xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x?x?x3xf32>) outs(%e : tensor<2x4x5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x4x5x3xf32>
  return %r : tensor<2x4x5x3xf32>
}
