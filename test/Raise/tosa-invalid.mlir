// RUN: memfmt-opt %s --split-input-file --memfmt-raise-tosa --verify-diagnostics

func.func @format(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>> {
  // expected-error@+1 {{'tosa.abs' op expects tensors without a format, found 'tensor<2x3x4x5xf32, #memfmt.format<channels_last>>'; put memfmt.to_format around it}}
  %y = tosa.abs %x : (tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return %y : tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{failed to legalize operation 'tosa.custom'}}
  %y = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "f"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
