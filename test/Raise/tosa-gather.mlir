// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa | FileCheck %s --implicit-check-not=tosa.

// Up-sampling as importers write it: indices of each axis from a formula, put
// together in one table of flat indices. Each axis has its index again.

// CHECK: #[[$ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, 0, 0)>
// CHECK-LABEL: func @nearest
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x3x4xf32>)
// CHECK-NOT: linalg.reduce
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[$ROW]], #{{.*}}, #{{.*}}]{{.*}} outs({{.*}} : tensor<1x2x6x4xf32>)
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32, %[[D:.*]]: i32, %{{.*}}: f32):
// CHECK-DAG: %[[IA:.*]] = arith.index_cast %[[A]]
// CHECK-DAG: %[[IB:.*]] = arith.index_cast %[[B]]
// CHECK-DAG: %[[IC:.*]] = arith.index_cast %[[C]]
// CHECK-DAG: %[[ID:.*]] = arith.index_cast %[[D]]
// CHECK: tensor.extract %[[X]][%[[IA]], %[[IB]], %[[IC]], %[[ID]]]
// CHECK-NEXT: linalg.yield
// CHECK-NEXT: } -> tensor<1x2x6x4xf32>
// CHECK-NEXT: return
func.func @nearest(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x4xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %strides = "tosa.const"() <{values = dense<[[24, 12, 4, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1x2x6x4x1xi32>}> : () -> tensor<1x2x6x4x1xi32>
  %c = "tosa.const"() <{values = dense<[[[[[0]]],[[[1]]]]]> : tensor<1x2x1x1x1xi32>}> : () -> tensor<1x2x1x1x1xi32>
  %iota = "tosa.const"() <{values = dense<[0,1,2,3,4,5]> : tensor<6xi64>}> : () -> tensor<6xi64>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %zf = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %three = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
  %hs = tosa.const_shape {values = dense<[1, 1, 6, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %h0 = tosa.cast %iota : (tensor<6xi64>) -> tensor<6xf32>
  %h1 = tosa.add %h0, %half : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
  %h2 = tosa.mul %h1, %half, %s : (tensor<6xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<6xf32>
  %h3 = tosa.sub %h2, %half : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
  %h4 = tosa.clamp %h3 {max_val = 3.40282347E+38 : f32, min_val = 0.0 : f32} : (tensor<6xf32>) -> tensor<6xf32>
  %h5 = tosa.floor %h4 : (tensor<6xf32>) -> tensor<6xf32>
  %h6 = tosa.ceil %h4 : (tensor<6xf32>) -> tensor<6xf32>
  %h7 = tosa.greater %zf, %h4 : (tensor<1xf32>, tensor<6xf32>) -> tensor<6xi1>
  %h8 = tosa.select %h7, %h6, %h5 : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %h9 = tosa.cast %h8 : (tensor<6xf32>) -> tensor<6xi64>
  %h10 = tosa.cast %h9 : (tensor<6xi64>) -> tensor<6xi32>
  %h11 = tosa.add %h10, %three : (tensor<6xi32>, tensor<1xi32>) -> tensor<6xi32>
  %h12 = tosa.greater %zi, %h10 : (tensor<1xi32>, tensor<6xi32>) -> tensor<6xi1>
  %h13 = tosa.select %h12, %h11, %h10 : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %h = tosa.reshape %h13, %hs : (tensor<6xi32>, !tosa.shape<5>) -> tensor<1x1x6x1x1xi32>
  %w = "tosa.const"() <{values = dense<[[[[[0],[1],[2],[3]]]]]> : tensor<1x1x1x4x1xi32>}> : () -> tensor<1x1x1x4x1xi32>
  %t1 = tosa.const_shape {values = dense<[1, 1, 6, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t2 = tosa.const_shape {values = dense<[1, 2, 1, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t3 = tosa.const_shape {values = dense<[1, 2, 6, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %cc = tosa.tile %c, %t1 : (tensor<1x2x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %hh = tosa.tile %h, %t2 : (tensor<1x1x6x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %ww = tosa.tile %w, %t3 : (tensor<1x1x1x4x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %all = tosa.concat %n, %cc, %hh, %ww {axis = 4 : i32} : (tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>) -> tensor<1x2x6x4x4xi32>
  %fs = tosa.const_shape {values = dense<[48, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %vs = tosa.const_shape {values = dense<[1, 24, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %is = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %rs = tosa.const_shape {values = dense<[1, 2, 6, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = tosa.reshape %x, %vs : (tensor<1x2x3x4xf32>, !tosa.shape<3>) -> tensor<1x24x1xf32>
  %f = tosa.reshape %all, %fs : (tensor<1x2x6x4x4xi32>, !tosa.shape<2>) -> tensor<48x4xi32>
  %m = tosa.mul %f, %strides, %s : (tensor<48x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<48x4xi32>
  %r = tosa.reduce_sum %m {axis = 1 : i32} : (tensor<48x4xi32>) -> tensor<48x1xi32>
  %i = tosa.reshape %r, %is : (tensor<48x1xi32>, !tosa.shape<2>) -> tensor<1x48xi32>
  %g = tosa.gather %v, %i : (tensor<1x24x1xf32>, tensor<1x48xi32>) -> tensor<1x48x1xf32>
  %y = tosa.reshape %g, %rs : (tensor<1x48x1xf32>, !tosa.shape<4>) -> tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}

// -----

// Row 3 of 3 is row 0 of the next channel.

// CHECK-LABEL: func @leaves_its_axis
// CHECK: linalg.reduce
// CHECK: tensor.extract %{{.*}} : tensor<1x24x1xf32>
func.func @leaves_its_axis(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x4xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %strides = "tosa.const"() <{values = dense<[[24, 12, 4, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1x2x6x4x1xi32>}> : () -> tensor<1x2x6x4x1xi32>
  %c = "tosa.const"() <{values = dense<[[[[[0]]],[[[1]]]]]> : tensor<1x2x1x1x1xi32>}> : () -> tensor<1x2x1x1x1xi32>
  %h = "tosa.const"() <{values = dense<[[[[[0]],[[0]],[[1]],[[1]],[[2]],[[3]]]]]> : tensor<1x1x6x1x1xi32>}> : () -> tensor<1x1x6x1x1xi32>
  %w = "tosa.const"() <{values = dense<[[[[[0],[1],[2],[3]]]]]> : tensor<1x1x1x4x1xi32>}> : () -> tensor<1x1x1x4x1xi32>
  %t1 = tosa.const_shape {values = dense<[1, 1, 6, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t2 = tosa.const_shape {values = dense<[1, 2, 1, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t3 = tosa.const_shape {values = dense<[1, 2, 6, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %cc = tosa.tile %c, %t1 : (tensor<1x2x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %hh = tosa.tile %h, %t2 : (tensor<1x1x6x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %ww = tosa.tile %w, %t3 : (tensor<1x1x1x4x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %all = tosa.concat %n, %cc, %hh, %ww {axis = 4 : i32} : (tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>) -> tensor<1x2x6x4x4xi32>
  %fs = tosa.const_shape {values = dense<[48, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %vs = tosa.const_shape {values = dense<[1, 24, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %is = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %rs = tosa.const_shape {values = dense<[1, 2, 6, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = tosa.reshape %x, %vs : (tensor<1x2x3x4xf32>, !tosa.shape<3>) -> tensor<1x24x1xf32>
  %f = tosa.reshape %all, %fs : (tensor<1x2x6x4x4xi32>, !tosa.shape<2>) -> tensor<48x4xi32>
  %m = tosa.mul %f, %strides, %s : (tensor<48x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<48x4xi32>
  %r = tosa.reduce_sum %m {axis = 1 : i32} : (tensor<48x4xi32>) -> tensor<48x1xi32>
  %i = tosa.reshape %r, %is : (tensor<48x1xi32>, !tosa.shape<2>) -> tensor<1x48xi32>
  %g = tosa.gather %v, %i : (tensor<1x24x1xf32>, tensor<1x48xi32>) -> tensor<1x48x1xf32>
  %y = tosa.reshape %g, %rs : (tensor<1x48x1xf32>, !tosa.shape<4>) -> tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}

// -----

// Another order of axes.

// CHECK-LABEL: func @other_strides
// CHECK: linalg.reduce
// CHECK: tensor.extract %{{.*}} : tensor<1x24x1xf32>
func.func @other_strides(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x4xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %strides = "tosa.const"() <{values = dense<[[24, 12, 1, 3]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1x2x6x4x1xi32>}> : () -> tensor<1x2x6x4x1xi32>
  %c = "tosa.const"() <{values = dense<[[[[[0]]],[[[1]]]]]> : tensor<1x2x1x1x1xi32>}> : () -> tensor<1x2x1x1x1xi32>
  %h = "tosa.const"() <{values = dense<[[[[[0]],[[0]],[[1]],[[1]],[[2]],[[2]]]]]> : tensor<1x1x6x1x1xi32>}> : () -> tensor<1x1x6x1x1xi32>
  %w = "tosa.const"() <{values = dense<[[[[[0],[1],[2],[3]]]]]> : tensor<1x1x1x4x1xi32>}> : () -> tensor<1x1x1x4x1xi32>
  %t1 = tosa.const_shape {values = dense<[1, 1, 6, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t2 = tosa.const_shape {values = dense<[1, 2, 1, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t3 = tosa.const_shape {values = dense<[1, 2, 6, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %cc = tosa.tile %c, %t1 : (tensor<1x2x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %hh = tosa.tile %h, %t2 : (tensor<1x1x6x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %ww = tosa.tile %w, %t3 : (tensor<1x1x1x4x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %all = tosa.concat %n, %cc, %hh, %ww {axis = 4 : i32} : (tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>) -> tensor<1x2x6x4x4xi32>
  %fs = tosa.const_shape {values = dense<[48, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %vs = tosa.const_shape {values = dense<[1, 24, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %is = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %rs = tosa.const_shape {values = dense<[1, 2, 6, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = tosa.reshape %x, %vs : (tensor<1x2x3x4xf32>, !tosa.shape<3>) -> tensor<1x24x1xf32>
  %f = tosa.reshape %all, %fs : (tensor<1x2x6x4x4xi32>, !tosa.shape<2>) -> tensor<48x4xi32>
  %m = tosa.mul %f, %strides, %s : (tensor<48x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<48x4xi32>
  %r = tosa.reduce_sum %m {axis = 1 : i32} : (tensor<48x4xi32>) -> tensor<48x1xi32>
  %i = tosa.reshape %r, %is : (tensor<48x1xi32>, !tosa.shape<2>) -> tensor<1x48xi32>
  %g = tosa.gather %v, %i : (tensor<1x24x1xf32>, tensor<1x48xi32>) -> tensor<1x48x1xf32>
  %y = tosa.reshape %g, %rs : (tensor<1x48x1xf32>, !tosa.shape<4>) -> tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}

// -----

// Indices that nothing is known of.

// CHECK-LABEL: func @unknown
// CHECK: linalg.reduce
// CHECK: tensor.extract %{{.*}} : tensor<1x24x1xf32>
func.func @unknown(%x: tensor<1x2x3x4xf32>, %h: tensor<1x1x6x1x1xi32>) -> tensor<1x2x6x4xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %strides = "tosa.const"() <{values = dense<[[24, 12, 4, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %n = "tosa.const"() <{values = dense<0> : tensor<1x2x6x4x1xi32>}> : () -> tensor<1x2x6x4x1xi32>
  %c = "tosa.const"() <{values = dense<[[[[[0]]],[[[1]]]]]> : tensor<1x2x1x1x1xi32>}> : () -> tensor<1x2x1x1x1xi32>
  %w = "tosa.const"() <{values = dense<[[[[[0],[1],[2],[3]]]]]> : tensor<1x1x1x4x1xi32>}> : () -> tensor<1x1x1x4x1xi32>
  %t1 = tosa.const_shape {values = dense<[1, 1, 6, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t2 = tosa.const_shape {values = dense<[1, 2, 1, 4, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t3 = tosa.const_shape {values = dense<[1, 2, 6, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %cc = tosa.tile %c, %t1 : (tensor<1x2x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %hh = tosa.tile %h, %t2 : (tensor<1x1x6x1x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %ww = tosa.tile %w, %t3 : (tensor<1x1x1x4x1xi32>, !tosa.shape<5>) -> tensor<1x2x6x4x1xi32>
  %all = tosa.concat %n, %cc, %hh, %ww {axis = 4 : i32} : (tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>, tensor<1x2x6x4x1xi32>) -> tensor<1x2x6x4x4xi32>
  %fs = tosa.const_shape {values = dense<[48, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %vs = tosa.const_shape {values = dense<[1, 24, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %is = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %rs = tosa.const_shape {values = dense<[1, 2, 6, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = tosa.reshape %x, %vs : (tensor<1x2x3x4xf32>, !tosa.shape<3>) -> tensor<1x24x1xf32>
  %f = tosa.reshape %all, %fs : (tensor<1x2x6x4x4xi32>, !tosa.shape<2>) -> tensor<48x4xi32>
  %m = tosa.mul %f, %strides, %s : (tensor<48x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<48x4xi32>
  %r = tosa.reduce_sum %m {axis = 1 : i32} : (tensor<48x4xi32>) -> tensor<48x1xi32>
  %i = tosa.reshape %r, %is : (tensor<48x1xi32>, !tosa.shape<2>) -> tensor<1x48xi32>
  %g = tosa.gather %v, %i : (tensor<1x24x1xf32>, tensor<1x48xi32>) -> tensor<1x48x1xf32>
  %y = tosa.reshape %g, %rs : (tensor<1x48x1xf32>, !tosa.shape<4>) -> tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}
