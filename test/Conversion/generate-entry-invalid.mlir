// RUN: memfmt-opt %s --memfmt-generate-entry --split-input-file --verify-diagnostics

// expected-error @below {{expects tensor arguments and results only, found 'f32'}}
func.func @scalar(%x: f32, %arena: memref<64xi8>, %constants: memref<?xi8>) attributes {memfmt.arena_bytes = 64 : i64} {
  return
}

// -----

// expected-error @below {{expects `memfmt.num_outputs` of at most 0, found 1}}
func.func @outputs(%arena: memref<64xi8>, %constants: memref<?xi8>) attributes {memfmt.arena_bytes = 64 : i64, memfmt.num_outputs = 1 : i64} {
  return
}
