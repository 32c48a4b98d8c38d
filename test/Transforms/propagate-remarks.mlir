// Where a format is lost, where two meet, what does not know formats.
// RUN: memfmt-opt %s --split-input-file --verify-diagnostics --memfmt-propagate --allow-unregistered-dialect

#cl = #memfmt.format<channels_last>
// expected-note @+2 {{one of them comes from here}}
func.func @meet(%c: tensor<2x3x4x5xf32>,
                %l: tensor<2x3x4x5xf32, #cl>) {
  // expected-remark @+1 {{formats meet: contiguous and channels_last; the result is channels_last}}
  %0 = memfmt.elementwise add %c, %l : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// -----

#cl = #memfmt.format<channels_last>
// expected-note @+1 {{it comes from here}}
func.func @unknown(%l: tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32> {
  // expected-remark @+1 {{format #memfmt.format<channels_last> of operand 0 is lost: `test.unknown` takes 'tensor<2x3x4x5xf32>'}}
  %0 = "test.unknown"(%l) : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// -----

#cl = #memfmt.format<channels_last>
// One unknown operation affects nothing else.
// expected-note @+1 {{it comes from here}}
func.func @only_there(%l: tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32, #cl> {
  // expected-remark @+1 {{is lost}}
  %0 = "test.unknown"(%l) : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %1 = memfmt.elementwise relu %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32, #cl>
  return %1 : tensor<2x3x4x5xf32, #cl>
}
