// What PyTorch refuses.
// RUN: memfmt-opt %s --split-input-file --verify-diagnostics --memfmt-propagate=policy=torch

#cl = #memfmt.format<channels_last>
func.func @view(%x: tensor<2x3x4x5xf32, #cl>) {
  // expected-error @+1 {{cannot view strides [60, 1, 15, 3]}}
  %0 = memfmt.reshape %x {view} : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x60xf32>
  return
}

// -----

func.func @into_expanded(%x: tensor<2x3xf32>, %m: tensor<2x3xf32, #memfmt.strided<[0, 1], offset: 0>>) {
  // expected-error @+1 {{cannot write into memory in which elements share an address}}
  %0 = memfmt.elementwise relu %x into %m
    : (tensor<2x3xf32>, tensor<2x3xf32, #memfmt.strided<[0, 1], offset: 0>>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{with format `channels_last` expects a tensor of rank 4, found rank 3}}
  %0 = memfmt.request_format to channels_last %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @rank_3d(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{with format `channels_last_3d` expects a tensor of rank 5, found rank 4}}
  %0 = memfmt.full_like channels_last_3d %x {value = 0.0 : f64} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return
}
