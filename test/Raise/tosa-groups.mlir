// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa --memfmt-raise | FileCheck %s --implicit-check-not=tosa.

// Slices of channels, convolved and put together again, are groups.

// CHECK-LABEL: func @groups
// CHECK-SAME: %[[W0:[a-z0-9]+]]: tensor<5x1x1x2xf32>, %[[W1:[a-z0-9]+]]: tensor<5x1x1x2xf32>, %[[W2:[a-z0-9]+]]: tensor<5x1x1x2xf32>
// CHECK-NOT: extract_slice
// CHECK-DAG: %[[W:.*]] = tensor.concat dim(0) %[[W0]], %[[W1]], %[[W2]]
// CHECK-DAG: %[[B:.*]] = tensor.concat dim(0) {{.*}} -> tensor<15xf32>
// CHECK: memfmt.conv {{.*}} bias(%[[B]] : tensor<15xf32>) {{.*}} groups = 3 : i64
// CHECK-SAME: tensor<1x6x6x7xf32>, tensor<15x2x1x1xf32> -> tensor<1x15x6x7xf32>
// CHECK-NOT: memfmt.conv
func.func @groups(%x: tensor<1x6x7x6xf32>, %w0: tensor<5x1x1x2xf32>, %w1: tensor<5x1x1x2xf32>, %w2: tensor<5x1x1x2xf32>, %b: tensor<5xf32>) -> tensor<1x6x7x15xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %size = tosa.const_shape {values = dense<[1, 6, 7, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %o0, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x2xf32>
  %y0 = tosa.conv2d %s0, %w0, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x2xf32>, tensor<5x1x1x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %o1 = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.slice %x, %o1, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x2xf32>
  %y1 = tosa.conv2d %s1, %w1, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x2xf32>, tensor<5x1x1x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %o2 = tosa.const_shape {values = dense<[0, 0, 0, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.slice %x, %o2, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x2xf32>
  %y2 = tosa.conv2d %s2, %w2, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x2xf32>, tensor<5x1x1x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %r = tosa.concat %y0, %y1, %y2 {axis = 3 : i32} : (tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>) -> tensor<1x6x7x15xf32>
  return %r : tensor<1x6x7x15xf32>
}

// -----

// Filters that are slices of one are that one.

// CHECK-LABEL: func @one_filter
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<10x1x1x3xf32>
// CHECK-NOT: tensor.concat
// CHECK: linalg.transpose ins(%[[W]]
// CHECK: memfmt.conv {{.*}} groups = 2 : i64
func.func @one_filter(%x: tensor<1x6x7x6xf32>, %w: tensor<10x1x1x3xf32>) -> tensor<1x6x7x10xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %size = tosa.const_shape {values = dense<[1, 6, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<5xf32>}> : () -> tensor<5xf32>
  %ws = tosa.const_shape {values = dense<[5, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w0 = tosa.slice %w, %f0, %ws : (tensor<10x1x1x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<5x1x1x3xf32>
  %o0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %o0, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y0 = tosa.conv2d %s0, %w0, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %f1 = tosa.const_shape {values = dense<[5, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w1 = tosa.slice %w, %f1, %ws : (tensor<10x1x1x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<5x1x1x3xf32>
  %o1 = tosa.const_shape {values = dense<[0, 0, 0, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.slice %x, %o1, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y1 = tosa.conv2d %s1, %w1, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %r = tosa.concat %y0, %y1 {axis = 3 : i32} : (tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>) -> tensor<1x6x7x10xf32>
  return %r : tensor<1x6x7x10xf32>
}

// -----

// Groups out of order.

// CHECK-LABEL: func @swapped
// CHECK-COUNT-2: memfmt.conv {{.*}} groups = 1 : i64
// CHECK: tensor.concat
func.func @swapped(%x: tensor<1x6x7x6xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<5xf32>) -> tensor<1x6x7x10xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %size = tosa.const_shape {values = dense<[1, 6, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o0 = tosa.const_shape {values = dense<[0, 0, 0, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %o0, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y0 = tosa.conv2d %s0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %o1 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.slice %x, %o1, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y1 = tosa.conv2d %s1, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %r = tosa.concat %y0, %y1 {axis = 3 : i32} : (tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>) -> tensor<1x6x7x10xf32>
  return %r : tensor<1x6x7x10xf32>
}

// -----

// Channels that no group reads.

// CHECK-LABEL: func @part
// CHECK-COUNT-2: memfmt.conv {{.*}} groups = 1 : i64
// CHECK: tensor.concat
func.func @part(%x: tensor<1x6x7x8xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<5xf32>) -> tensor<1x6x7x10xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %size = tosa.const_shape {values = dense<[1, 6, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %o0, %size : (tensor<1x6x7x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y0 = tosa.conv2d %s0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %o1 = tosa.const_shape {values = dense<[0, 0, 0, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.slice %x, %o1, %size : (tensor<1x6x7x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y1 = tosa.conv2d %s1, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %r = tosa.concat %y0, %y1 {axis = 3 : i32} : (tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>) -> tensor<1x6x7x10xf32>
  return %r : tensor<1x6x7x10xf32>
}

// -----

// Results beside each other.

// CHECK-LABEL: func @beside
// CHECK-COUNT-2: memfmt.conv {{.*}} groups = 1 : i64
// CHECK: tensor.concat
func.func @beside(%x: tensor<1x6x7x6xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<5xf32>) -> tensor<1x6x14x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %size = tosa.const_shape {values = dense<[1, 6, 7, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %o0, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y0 = tosa.conv2d %s0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %o1 = tosa.const_shape {values = dense<[0, 0, 0, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.slice %x, %o1, %size : (tensor<1x6x7x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x7x3xf32>
  %y1 = tosa.conv2d %s1, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x5xf32>
  %r = tosa.concat %y0, %y1 {axis = 2 : i32} : (tensor<1x6x7x5xf32>, tensor<1x6x7x5xf32>) -> tensor<1x6x14x5xf32>
  return %r : tensor<1x6x14x5xf32>
}
