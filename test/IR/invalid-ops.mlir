// RUN: memfmt-opt %s --split-input-file --verify-diagnostics

func.func @shape(%x: tensor<2x3x4x5xf32>) {
  // expected-error@+1 {{expects the logical shape and element type of 'tensor<2x3x4x5xf32>', found 'tensor<2x4x5x3xf32>'}}
  %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x4x5x3xf32>
  return
}

// -----

func.func @element(%x: tensor<2x3x4x5xf32>) {
  // expected-error@+1 {{expects the logical shape and element type of 'tensor<2x3x4x5xf32>', found 'tensor<2x3x4x5xbf16>'}}
  %y = memfmt.pin %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xbf16>
  return
}

// -----

#sparse = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @sparse(%x: tensor<3x4xf32, #sparse>) {
  // expected-error@+1 {{expects a memory format or no encoding, found 'tensor<3x4xf32, #sparse_tensor.encoding}}
  %y = memfmt.to_format %x : tensor<3x4xf32, #sparse> to tensor<3x4xf32>
  return
}

// -----

#sparse = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @sparse_query(%x: tensor<3x4xf32, #sparse>) {
  // expected-error@+1 {{expects a memory format or no encoding, found}}
  %y = memfmt.is_contiguous %x : tensor<3x4xf32, #sparse> in #memfmt.format<[0, 1]>
  return
}

// -----

// The dialect has no conversion to a format that the rank lacks.
func.func @rank(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{`channels_last` expects a tensor of rank 3, 4 or 5, found rank 2}}
  %y = memfmt.to_format %x : tensor<3x4xf32> to tensor<3x4xf32, #memfmt.format<channels_last>>
  return
}

// -----

func.func @assert_rank(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{`channels_last` expects a tensor of rank 3, 4 or 5, found rank 2}}
  %y = memfmt.assert_format %x : tensor<3x4xf32> in #memfmt.format<channels_last>
  return
}

// -----

func.func @assert_wrong(%x: tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>) {
  // expected-error@+1 {{asserts #memfmt.format<channels_last>, but the type declares 'tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>'}}
  %y = memfmt.assert_format %x : tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>> in #memfmt.format<channels_last>
  return
}

// -----

func.func @assert_no_format(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{invalid kind of attribute specified}}
  %y = memfmt.assert_format %x : tensor<3x4xf32> in 17 : i32
  return
}

// -----

func.func @channels_last(%x: tensor<2x3x4x5xf32>) {
  // expected-error@+1 {{with option `channels_last` expects the result type}}
  %y = memfmt.empty_like channels_last %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf32>
  return
}

// -----

func.func @channels_last_rank(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{`channels_last` expects a tensor of rank 3, 4 or 5, found rank 2}}
  %y = memfmt.empty_like channels_last %x : tensor<3x4xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @option(%x: tensor<3x4xf32>) {
  // expected-error@+2 {{to be one of: preserve, contiguous, channels_last, format}}
  // expected-error@+1 {{failed to parse MemFmt_LikeOptionAttr}}
  %y = memfmt.empty_like any %x : tensor<3x4xf32> -> tensor<3x4xf32>
  return
}
