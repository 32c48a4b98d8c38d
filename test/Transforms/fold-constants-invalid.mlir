// RUN: memfmt-opt %s --memfmt-fold-constants --verify-diagnostics

func.func @main() -> tensor<2x2xf32> {
  // expected-error @below {{expects 16 bytes in resource `weights` of type 'tensor<4xf32>', found 3}}
  %w = arith.constant dense_resource<weights> : tensor<4xf32>
  %0 = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x01000000000102"
    }
  }
#-}
