// RUN: memfmt-opt %s --memfmt-materialize --split-input-file --verify-diagnostics

func.func @no_physical_form(%x: tensor<1x3x8x8xf32, #memfmt.format<channels_last>>, %i: index) -> f32 {
  // expected-error @below {{has no physical form for the encoded type 'tensor<1x3x8x8xf32, #memfmt.format<channels_last>>'; convert with `memfmt.to_format` around it}}
  %y = tensor.extract %x[%i, %i, %i, %i] : tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
  return %y : f32
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @captured(%x: tensor<1x3x8x8xf32, #memfmt.format<channels_last>>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    // expected-error @below {{in a body reads a tensor of the encoded type 'tensor<1x3x8x8xf32, #memfmt.format<channels_last>>'; convert with `memfmt.to_format` around the operation}}
    %r = tensor.extract %x[%c0, %c0, %c0, %i] : tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
