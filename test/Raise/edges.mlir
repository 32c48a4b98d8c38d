// RUN: memfmt-opt %s --memfmt-raise | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-fuse | FileCheck %s --check-prefix=FUSE

// An operation in the body of another that nothing reads.
// CHECK-LABEL: func @nested
// CHECK-NEXT: return
#row = affine_map<(i) -> (i)>
func.func @nested(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%b: f32, %p: f32):
      %2 = math.exp %b : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    %i = linalg.index 0 : index
    %3 = tensor.extract %1[%i] : tensor<4xf32>
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return
}

// Scalar operations on whole tensors.
// CHECK-LABEL: func @whole_tensors
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: memfmt.elementwise relu %[[SUM]] : (tensor<4xf32>) -> tensor<4xf32>
func.func @whole_tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = arith.addf %x, %y : tensor<4xf32>
  %1 = arith.maximumf %0, %zero : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Sizes that one operand knows and the other does not.
// FUSE-LABEL: func @mixed
// FUSE: tensor.empty(%{{.*}}) : tensor<4x?xf32>
// FUSE: } -> tensor<4x?xf32>
func.func @mixed(%x: tensor<4x?xf32>, %y: tensor<?x?xf32>) -> tensor<4x?xf32> {
  %0 = memfmt.elementwise add %x, %y : (tensor<4x?xf32>, tensor<?x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
