// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// As torch-mlir writes it: the maximum comes with its place, and keeps no axis.

// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.softmax %[[X]] {axis = 2 : i64}
// CHECK-NEXT: return %[[Y]]
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#kept = affine_map<(d0, d1, d2) -> (d0, d1)>
#unit = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
func.func @softmax(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<2x3x5xf32>
  %em = tensor.empty() : tensor<2x3xf32>
  %ei = tensor.empty() : tensor<2x3xi64>
  %es = tensor.empty() : tensor<2x3x1xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%em : tensor<2x3xf32>) -> tensor<2x3xf32>
  %i0 = linalg.fill ins(%c0 : i64) outs(%ei : tensor<2x3xi64>) -> tensor<2x3xi64>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %m:2 = linalg.generic {indexing_maps = [#all, #kept, #kept], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x5xf32>) outs(%m0, %i0 : tensor<2x3xf32>, tensor<2x3xi64>) {
  ^bb0(%in: f32, %best: f32, %place: i64):
    %0 = linalg.index 2 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.maximumf %in, %best : f32
    %3 = arith.cmpf ogt, %in, %best : f32
    %4 = arith.select %3, %1, %place : i64
    linalg.yield %2, %4 : f32, i64
  } -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %mk = tensor.expand_shape %m#0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %d = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mk : tensor<2x3x5xf32>, tensor<2x3x1xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x5xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x5xf32>
  %s = linalg.generic {indexing_maps = [#all, #unit], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x3x5xf32>) outs(%s0 : tensor<2x3x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x1xf32>
  %y = linalg.generic {indexing_maps = [#all, #unit, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %s : tensor<2x3x5xf32>, tensor<2x3x1xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// The sum starts from one (`softmax1`): no softmax.

// CHECK-LABEL: @other_start
// CHECK-NOT: memfmt.softmax
// CHECK: math.exp
#all = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
func.func @other_start(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %em = tensor.empty() : tensor<3xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%em : tensor<3xf32>) -> tensor<3xf32>
  %s0 = linalg.fill ins(%one : f32) outs(%em : tensor<3xf32>) -> tensor<3xf32>
  %m = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x5xf32>) outs(%m0 : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<3xf32>
  %p = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<3x5xf32>, tensor<3xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<3x5xf32>) outs(%s0 : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<3x5xf32>, tensor<3xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
