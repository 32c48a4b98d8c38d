// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa --memfmt-raise | FileCheck %s --implicit-check-not=tosa.

// A network in the order of TOSA: one transposition at each end, filters apart.
// Constants along channels are renamed, others transposed, which is a matter of
// compile time.

// CHECK-LABEL: func @channels_last
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x5x6x3xf32>, %[[W:[a-z0-9]+]]: tensor<4x1x1x3xf32>,
// CHECK-DAG: linalg.transpose ins(%[[X]]
// CHECK-DAG: linalg.transpose ins(%[[W]]
// CHECK: %[[A:.*]] = memfmt.conv
// CHECK-NOT: linalg.transpose ins(%{{.*}} : tensor<2x
// CHECK: memfmt.conv
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x4x5x6xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @channels_last(%x: tensor<2x5x6x3xf32>, %w: tensor<4x1x1x3xf32>, %v: tensor<4x1x1x4xf32>) -> tensor<2x5x6x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %c = "tosa.const"() <{values = dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>}> : () -> tensor<1x1x1x4xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<2x5x6x3xf32>, tensor<4x1x1x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x6x4xf32>
  %1 = tosa.mul %0, %c, %s : (tensor<2x5x6x4xf32>, tensor<1x1x1x4xf32>, tensor<1xi8>) -> tensor<2x5x6x4xf32>
  %2 = tosa.clamp %1 {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<2x5x6x4xf32>) -> tensor<2x5x6x4xf32>
  %3 = tosa.conv2d %2, %v, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<2x5x6x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x6x4xf32>
  %4 = tosa.add %3, %2 : (tensor<2x5x6x4xf32>, tensor<2x5x6x4xf32>) -> tensor<2x5x6x4xf32>
  return %4 : tensor<2x5x6x4xf32>
}

// -----

// Slices and concatenation on the way.

// CHECK-LABEL: func @slice_and_concat
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x6xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: tensor.extract_slice %[[X]][0, 1, 0, 2] [1, 3, 5, 4] [1, 1, 1, 1]
// CHECK: tensor.concat dim(1) {{.*}} -> tensor<1x6x5x4xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @slice_and_concat(%x: tensor<1x4x5x6xf32>) -> tensor<1x6x5x4xf32> {
  %start = tosa.const_shape {values = dense<[0, 0, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 5, 4, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %s = tosa.slice %t, %start, %size : (tensor<1x5x6x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x4x3xf32>
  %c = tosa.transpose %s {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x4x3xf32>) -> tensor<1x3x5x4xf32>
  %a = tosa.transpose %c {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x5x4xf32>) -> tensor<1x5x4x3xf32>
  %b = tosa.abs %a : (tensor<1x5x4x3xf32>) -> tensor<1x5x4x3xf32>
  %j = tosa.concat %a, %b {axis = 3 : i32} : (tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>) -> tensor<1x5x4x6xf32>
  %r = tosa.transpose %j {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x4x6xf32>) -> tensor<1x6x5x4xf32>
  return %r : tensor<1x6x5x4xf32>
}

// -----

// Around images of one pixel importers write a reshape for a transposition.

// CHECK-LABEL: func @one_pixel
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x1x1xf32>)
// CHECK-NEXT: return %[[X]]
func.func @one_pixel(%x: tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32> {
  %shape = tosa.const_shape {values = dense<[2, 8, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x8x1x1xf32>) -> tensor<2x1x1x8xf32>
  %r = tosa.reshape %t, %shape : (tensor<2x1x1x8xf32>, !tosa.shape<4>) -> tensor<2x8x1x1xf32>
  return %r : tensor<2x8x1x1xf32>
}

// -----

// The sum is read in the order of TOSA only, and so is the other operand: the
// transposition stays.

// CHECK-LABEL: func @stays
// CHECK: linalg.transpose
// CHECK: arith.addf
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @stays(%x: tensor<1x4x5x6xf32>, %y: tensor<1x5x6x4xf32>) -> tensor<1x5x6x4xf32> {
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %r = tosa.add %t, %y : (tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>) -> tensor<1x5x6x4xf32>
  return %r : tensor<1x5x6x4xf32>
}

// -----

// CHECK-LABEL: func @batch_norm
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x3x5x6xf32>, %[[VAR:[a-z0-9]+]]: tensor<3xf32>,
// CHECK: memfmt.batch_norm %[[X]], %{{.*}}, %[[VAR]], %{{.*}}, %{{.*}} {epsilon = 9.9999997{{.*}}E-6 : f64}
// CHECK-NOT: linalg.generic
func.func @batch_norm(%x: tensor<2x3x5x6xf32>, %var: tensor<3xf32>, %mean: tensor<1x3x1x1xf32>, %scale: tensor<1x3x1x1xf32>, %offset: tensor<1x3x1x1xf32>) -> tensor<2x3x5x6xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = "tosa.const"() <{values = dense<1.0e-5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shape = tosa.const_shape {values = dense<[1, 3, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.add %e, %var : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tosa.rsqrt %0 : (tensor<3xf32>) -> tensor<3xf32>
  %2 = tosa.sub %x, %mean : (tensor<2x3x5x6xf32>, tensor<1x3x1x1xf32>) -> tensor<2x3x5x6xf32>
  %3 = tosa.reshape %1, %shape : (tensor<3xf32>, !tosa.shape<4>) -> tensor<1x3x1x1xf32>
  %4 = tosa.mul %2, %3, %s : (tensor<2x3x5x6xf32>, tensor<1x3x1x1xf32>, tensor<1xi8>) -> tensor<2x3x5x6xf32>
  %5 = tosa.mul %4, %scale, %s : (tensor<2x3x5x6xf32>, tensor<1x3x1x1xf32>, tensor<1xi8>) -> tensor<2x3x5x6xf32>
  %6 = tosa.add %5, %offset : (tensor<2x3x5x6xf32>, tensor<1x3x1x1xf32>) -> tensor<2x3x5x6xf32>
  return %6 : tensor<2x3x5x6xf32>
}
