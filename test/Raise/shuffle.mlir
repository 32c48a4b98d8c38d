// RUN: memfmt-opt %s --memfmt-raise | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise | FileCheck %s

// CHECK-LABEL: @channel_shuffle
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x4x5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.channel_shuffle %[[X]] {groups = 3 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @channel_shuffle(%x: tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 3, 2, 4, 5] : tensor<2x6x4x5xf32> into tensor<2x3x2x4x5xf32>
  %e = tensor.empty() : tensor<2x2x3x4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3x2x4x5xf32>) outs(%e : tensor<2x2x3x4x5xf32>) permutation = [0, 2, 1, 3, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<2x2x3x4x5xf32> into tensor<2x6x4x5xf32>
  return %2 : tensor<2x6x4x5xf32>
}

// (c, i, j, h, w) to (c, h, i, w, j).

// CHECK-LABEL: @pixel_shuffle
// CHECK-SAME: (%[[X:.*]]: tensor<2x12x4x5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.pixel_shuffle %[[X]] {factor = 2 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @pixel_shuffle(%x: tensor<2x12x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [2, 3, 2, 2, 4, 5] : tensor<2x12x4x5xf32> into tensor<2x3x2x2x4x5xf32>
  %e = tensor.empty() : tensor<2x3x4x2x5x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3x2x2x4x5xf32>) outs(%e : tensor<2x3x4x2x5x2xf32>) permutation = [0, 1, 4, 2, 5, 3]
  %2 = tensor.collapse_shape %1 [[0], [1], [2, 3], [4, 5]] : tensor<2x3x4x2x5x2xf32> into tensor<2x3x8x10xf32>
  return %2 : tensor<2x3x8x10xf32>
}

// Channels before the factors: what TensorFlow calls depth to space.

// CHECK-LABEL: @channels_inside
// CHECK-NOT: memfmt.pixel_shuffle
func.func @channels_inside(%x: tensor<2x12x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [2, 2, 2, 3, 4, 5] : tensor<2x12x4x5xf32> into tensor<2x2x2x3x4x5xf32>
  %e = tensor.empty() : tensor<2x3x4x2x5x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x2x2x3x4x5xf32>) outs(%e : tensor<2x3x4x2x5x2xf32>) permutation = [0, 3, 4, 1, 5, 2]
  %2 = tensor.collapse_shape %1 [[0], [1], [2, 3], [4, 5]] : tensor<2x3x4x2x5x2xf32> into tensor<2x3x8x10xf32>
  return %2 : tensor<2x3x8x10xf32>
}

// CHECK-LABEL: @pixel_unshuffle
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8x10xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.pixel_unshuffle %[[X]] {factor = 2 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @pixel_unshuffle(%x: tensor<2x3x8x10xf32>) -> tensor<2x12x4x5xf32> {
  %0 = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [2, 3, 4, 2, 5, 2] : tensor<2x3x8x10xf32> into tensor<2x3x4x2x5x2xf32>
  %e = tensor.empty() : tensor<2x3x2x2x4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3x4x2x5x2xf32>) outs(%e : tensor<2x3x2x2x4x5xf32>) permutation = [0, 1, 3, 5, 2, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2, 3], [4], [5]] : tensor<2x3x2x2x4x5xf32> into tensor<2x12x4x5xf32>
  return %2 : tensor<2x12x4x5xf32>
}

// The factors of the two axes change places.

// CHECK-LABEL: @exchanged
// CHECK-NOT: memfmt.pixel_unshuffle
func.func @exchanged(%x: tensor<2x3x8x10xf32>) -> tensor<2x12x4x5xf32> {
  %0 = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [2, 3, 4, 2, 5, 2] : tensor<2x3x8x10xf32> into tensor<2x3x4x2x5x2xf32>
  %e = tensor.empty() : tensor<2x3x2x2x4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3x4x2x5x2xf32>) outs(%e : tensor<2x3x2x2x4x5xf32>) permutation = [0, 1, 5, 3, 2, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2, 3], [4], [5]] : tensor<2x3x2x2x4x5xf32> into tensor<2x12x4x5xf32>
  return %2 : tensor<2x12x4x5xf32>
}
