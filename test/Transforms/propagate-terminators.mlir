// Conversions for what a terminator with a body reads stand before it.
// RUN: memfmt-opt %s --memfmt-propagate=policy=torch | FileCheck %s

// CHECK-LABEL: func @parallel
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: %[[C:.*]] = memfmt.to_format %[[S]]
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[C]]
func.func @parallel(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %x) -> tensor<2x8x6x6xf32> {
    %s = tensor.extract_slice %o[%i, 0, 0, 0] [1, 8, 6, 6] [1, 1, 1, 1] : tensor<2x8x6x6xf32> to tensor<1x8x6x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0, 0, 0] [1, 8, 6, 6] [1, 1, 1, 1] : tensor<1x8x6x6xf32> into tensor<2x8x6x6xf32>
    }
  }
  return %r : tensor<2x8x6x6xf32>
}
