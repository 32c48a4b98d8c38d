// RUN: memfmt-opt %s --memfmt-fold-constants | FileCheck %s --implicit-check-not='  weights:'
// RUN: memfmt-opt %s --memfmt-fold-constants=release=false | FileCheck %s
// RUN: memfmt-opt %s --memfmt-fold-constants=max-bytes=8 | FileCheck %s --check-prefix=LIMIT

// Views share the data, more than 64 elements are a resource aligned to 64 bytes,
// and data without readers is gone.

// LIMIT: dense_resource<weights>
// LIMIT: linalg.transpose

// CHECK-LABEL: func @main
// CHECK-DAG: dense_resource<weights_transpose> : tensor<33x2xi8>
// CHECK-DAG: dense_resource<weights_transpose> : tensor<66xi8>
func.func @main() -> (tensor<33x2xi8>, tensor<66xi8>) {
  %w = arith.constant dense_resource<weights> : tensor<2x33xi8>
  %e = tensor.empty() : tensor<33x2xi8>
  %0 = linalg.transpose ins(%w : tensor<2x33xi8>) outs(%e : tensor<33x2xi8>) permutation = [1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<33x2xi8> into tensor<66xi8>
  return %0, %1 : tensor<33x2xi8>, tensor<66xi8>
}

// Two rows, 0 to 32 and 100 to 132.
// CHECK: weights_transpose: "0x400000000064016502660367
// CHECK-SAME: 1F832084"
{-#
  dialect_resources: {
    builtin: {
      weights: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F206465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F8081828384"
    }
  }
#-}
