// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa | FileCheck %s --implicit-check-not=tosa.

// Twice as large: each element of the result reads index / 2.

// CHECK-LABEL: func @nearest
// CHECK: memfmt.resize nearest asymmetric %{{.*}} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
func.func @nearest(%x: tensor<1x3x4x2xf32>) -> tensor<1x6x8x2xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<1x3x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6x8x2xf32>
  return %y : tensor<1x6x8x2xf32>
}

// -----

// Without an offset TOSA rounds index 1 of twice as many up.

// CHECK-LABEL: func @rounded_up
// CHECK-NOT: memfmt.resize
// CHECK: tensor.extract
func.func @rounded_up(%x: tensor<1x3x4x2xf32>) -> tensor<1x6x8x2xf32> {
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<1x3x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6x8x2xf32>
  return %y : tensor<1x6x8x2xf32>
}

// -----

// CHECK-LABEL: func @half_pixel
// CHECK: memfmt.resize linear half_pixel %{{.*}} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
func.func @half_pixel(%x: tensor<1x3x4x2xf32>) -> tensor<1x6x8x2xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x3x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6x8x2xf32>
  return %y : tensor<1x6x8x2xf32>
}

// -----

// The corners stay where they are: 3 rows to 5, 4 columns to 7. The scale is not
// that of the sizes.

// CHECK-LABEL: func @corners
// CHECK: memfmt.resize linear asymmetric %{{.*}} {scales = array<f64: 5.000000e-01, 5.000000e-01>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x5x7xf32>
func.func @corners(%x: tensor<1x3x4x2xf32>) -> tensor<1x5x7x2xf32> {
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %zero = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %scale, %zero, %zero {mode = BILINEAR} : (tensor<1x3x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x5x7x2xf32>
  return %y : tensor<1x5x7x2xf32>
}

// -----

// CHECK-LABEL: func @other_places
// CHECK-NOT: memfmt.resize
func.func @other_places(%x: tensor<1x3x4x2xf32>) -> tensor<1x5x7x2xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.resize %x, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x3x4x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x5x7x2xf32>
  return %y : tensor<1x5x7x2xf32>
}
