// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// Insertions in any order that fill a tensor along one axis.

// CHECK-LABEL: @concat
// CHECK-SAME: (%[[A:.*]]: tensor<2x3x8xf32>, %[[B:.*]]: tensor<2x4x8xf32>, %[[C:.*]]: tensor<2x1x8xf32>)
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.concat dim(1) %[[A]], %[[B]], %[[C]]
func.func @concat(%a: tensor<2x3x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<2x1x8xf32>) -> tensor<2x8x8xf32> {
  %e = tensor.empty() : tensor<2x8x8xf32>
  %0 = tensor.insert_slice %b into %e[0, 3, 0] [2, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> into tensor<2x8x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x3x8xf32> into tensor<2x8x8xf32>
  %2 = tensor.insert_slice %c into %1[0, 7, 0] [2, 1, 8] [1, 1, 1] : tensor<2x1x8xf32> into tensor<2x8x8xf32>
  return %2 : tensor<2x8x8xf32>
}

// -----

// A gap shows what was there before.

// CHECK-LABEL: @gap
// CHECK-NOT: tensor.concat
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
func.func @gap(%a: tensor<2x3x8xf32>, %b: tensor<2x4x8xf32>, %y: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %0 = tensor.insert_slice %a into %y[0, 0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x3x8xf32> into tensor<2x8x8xf32>
  %1 = tensor.insert_slice %b into %0[0, 4, 0] [2, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> into tensor<2x8x8xf32>
  return %1 : tensor<2x8x8xf32>
}

// -----

// Where pieces overlap the later one counts.

// CHECK-LABEL: @overlap
// CHECK-NOT: tensor.concat
func.func @overlap(%a: tensor<2x5x8xf32>, %b: tensor<2x5x8xf32>, %y: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %0 = tensor.insert_slice %a into %y[0, 0, 0] [2, 5, 8] [1, 1, 1] : tensor<2x5x8xf32> into tensor<2x8x8xf32>
  %1 = tensor.insert_slice %b into %0[0, 3, 0] [2, 5, 8] [1, 1, 1] : tensor<2x5x8xf32> into tensor<2x8x8xf32>
  return %1 : tensor<2x8x8xf32>
}

// -----

// The tensor in between has another reader.

// CHECK-LABEL: @shared
// CHECK-NOT: tensor.concat
func.func @shared(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %y: tensor<2x8x8xf32>) -> (tensor<2x8x8xf32>, tensor<2x8x8xf32>) {
  %0 = tensor.insert_slice %a into %y[0, 0, 0] [2, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> into tensor<2x8x8xf32>
  %1 = tensor.insert_slice %b into %0[0, 4, 0] [2, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> into tensor<2x8x8xf32>
  return %0, %1 : tensor<2x8x8xf32>, tensor<2x8x8xf32>
}
