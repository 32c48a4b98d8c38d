// RUN: memfmt-opt %s --memfmt-bufferize --split-input-file --verify-diagnostics

// Upstream bufferization forgets encodings: they must be gone before.
// expected-error @below {{reaches bufferization with the encoded type 'tensor<1x3x8x8xf32, #memfmt.format<channels_last>>'; run `memfmt-select-kernels` or `memfmt-materialize` before}}
func.func @encoded(%x: tensor<1x3x8x8xf32, #memfmt.format<channels_last>>) {
  return
}

// -----

// expected-error @below {{expects tensors of known rank as results, found 'f32'}}
func.func @scalar_result(%x: f32) -> f32 {
  return %x : f32
}
