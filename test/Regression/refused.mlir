// Programs that other systems answered with an assertion or wrong code, and that are
// refused: one error that says what cannot be, the program as it was.
// RUN: memfmt-opt %s --split-input-file --memfmt-materialize --verify-diagnostics

// llvm/llvm-project#214415: windows that slide over a blocked axis.
#rows = #memfmt.format<[0, 2, 1, 3], blocks = [2 : 4]>
func.func @blocked_window(%x: tensor<1x3x8x8xf32, #rows>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32, #rows> {
  // expected-error@+1 {{has no reference lowering in the format of 'tensor<1x3x8x8xf32, #memfmt.format<[0, 2, 1, 3], blocks = [2 : 4]>>'; convert with `memfmt.to_format` before}}
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x8x8xf32, #rows>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32, #rows>
  return %0 : tensor<1x4x6x6xf32, #rows>
}

// -----

#rows = #memfmt.format<[0, 1], blocks = [1 : 4]>
#map = affine_map<(h, k) -> (0, h + k)>
#out = affine_map<(h, k) -> (0, h)>
#window = affine_map<(h, k) -> (k)>
func.func @blocked_index(%x: tensor<1x10xf32, #rows>, %w: tensor<3xf32>, %init: tensor<1x8xf32>) -> tensor<1x8xf32> {
  // expected-error@+1 {{reads axis 1 of 'tensor<1x10xf32, #memfmt.format<[0, 1], blocks = [1 : 4]>>', which has blocks, at `d0 + d1`; convert with `memfmt.to_format` before}}
  %0 = linalg.generic {indexing_maps = [#map, #window, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<1x10xf32, #rows>, tensor<3xf32>) outs(%init : tensor<1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// -----

// pytorch/pytorch#92680: an axis that runs backwards.
#back = #memfmt.strided<[-3, 1], offset: 9>
func.func @backwards(%x: tensor<4x3xf32, #back>) -> tensor<4x3xf32> {
  // expected-error@+1 {{has no lowering for strided memory: 'tensor<4x3xf32, #memfmt.strided<[-3, 1], offset: 9>>', whose axis 0 has stride -3}}
  %0 = memfmt.to_format %x : tensor<4x3xf32, #back> to tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
