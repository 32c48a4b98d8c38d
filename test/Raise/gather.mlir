// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// `as_strided` to the same shape: indices from a table, negative ones counted
// from the end.

// CHECK-LABEL: @identity
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
#all = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d1)>
func.func @identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %table = arith.constant dense<[0, -2, 2]> : tensor<3xi64>
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel"]} ins(%table : tensor<3xi64>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = linalg.index 0 : index
    %negative = arith.cmpi slt, %in, %c0 : i64
    %wrapped = arith.addi %in, %c3 : i64
    %at = arith.select %negative, %wrapped, %in : i64
    %column = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%row, %column] : tensor<2x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// The table lies outside of the text.

// CHECK-LABEL: @resource
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: return %[[X]]
#map = affine_map<(d0) -> (d0)>
func.func @resource(%x: tensor<3xf32>) -> tensor<3xf32> {
  %table = arith.constant dense_resource<table> : tensor<3xi64>
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%table : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%i] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      table: "0x08000000000000000000000001000000000000000200000000000000"
    }
  }
#-}

// -----

// Two elements change places; the table is not known; an index is outside.

// CHECK-LABEL: @swapped
// CHECK: linalg.generic
// CHECK-LABEL: @unknown
// CHECK: linalg.generic
// CHECK-LABEL: @outside
// CHECK: linalg.generic
#map = affine_map<(d0) -> (d0)>
func.func @swapped(%x: tensor<3xf32>) -> tensor<3xf32> {
  %table = arith.constant dense<[1, 0, 2]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%table : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%i] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @unknown(%x: tensor<3xf32>, %table: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%table : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%i] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @outside(%x: tensor<3xf32>) -> tensor<3xf32> {
  %table = arith.constant dense<[0, 1, 3]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%table : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%i] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
