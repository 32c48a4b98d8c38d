// RUN: memfmt-opt %s --memfmt-materialize --split-input-file --verify-diagnostics

func.func @no_physical_form(%x: tensor<1x3x8x8xf32, #memfmt.format<channels_last>>, %i: index) -> f32 {
  // expected-error @below {{has no physical form for the encoded type 'tensor<1x3x8x8xf32, #memfmt.format<channels_last>>'; convert with `memfmt.to_format` around it}}
  %y = tensor.extract %x[%i, %i, %i, %i] : tensor<1x3x8x8xf32, #memfmt.format<channels_last>>
  return %y : f32
}
