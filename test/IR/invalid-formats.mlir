// RUN: memfmt-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{`channels_last` expects a tensor of rank 3, 4 or 5, found rank 2}}
func.func private @rank2(tensor<3x4xf32, #memfmt.format<channels_last>>)

// -----

// expected-error@+1 {{`channels_last` expects a tensor of rank 3, 4 or 5, found rank 6}}
func.func private @rank6(tensor<1x2x3x4x5x6xf32, #memfmt.format<channels_last>>)

// -----

// expected-error@+1 {{format of 4 axes expects a tensor of rank 4, found rank 3}}
func.func private @order_rank(tensor<2x3x4xf32, #memfmt.format<[0, 3, 1, 2]>>)

// -----

// expected-error@+1 {{2 strides expect a tensor of rank 2, found rank 3}}
func.func private @strides_rank(tensor<2x3x4xf32, #memfmt.strided<[1, 2], offset: 0>>)

// -----

// expected-error@+1 {{expects each axis from 0 to 2 once in an order, found [0, 1, 1]}}
func.func private @twice(tensor<2x3x4xf32, #memfmt.format<[0, 1, 1]>>)

// -----

// expected-error@+1 {{expects each axis from 0 to 2 once in an order, found [0, 1, 3]}}
func.func private @beyond(tensor<2x3x4xf32, #memfmt.format<[0, 1, 3]>>)

// -----

// expected-error@+1 {{expects each axis from 0 to 2 once in an order, found [0, -1, 2]}}
func.func private @negative(tensor<2x3x4xf32, #memfmt.format<[0, -1, 2]>>)

// -----

// expected-error@+1 {{expects `channels_last` or an order of axes, found an empty order}}
func.func private @empty(tensor<f32, #memfmt.format<[]>>)

// -----

// expected-error@+1 {{expects blocks of axes from 0 to 2, found axis 3}}
func.func private @block_axis(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], blocks = [3 : 16]>>)

// -----

// expected-error@+1 {{expects blocks of 1 to 2^31, found 0}}
func.func private @block_zero(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], blocks = [1 : 0]>>)

// -----

// expected-error@+1 {{expects blocks of 1 to 2^31, found -16}}
func.func private @block_negative(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], blocks = [1 : -16]>>)

// -----

// expected-error@+1 {{expects blocks of 1 to 2^31, found 9223372036854775807}}
func.func private @block_huge(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], blocks = [1 : 9223372036854775807]>>)

// -----

// expected-error@+1 {{expects blocks that multiply to at most 2^31, found more with the block of 65536}}
func.func private @blocks_huge(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], blocks = [1 : 65536, 1 : 65536]>>)

// -----

// expected-error@+1 {{integer value too large}}
func.func private @integer_huge(tensor<2x3x4xf32, #memfmt.format<[0, 1, 99999999999999999999999]>>)

// -----

// expected-error@+1 {{expected 'blocks'}}
func.func private @keyword(tensor<2x3x4xf32, #memfmt.format<[0, 1, 2], tiles = [1 : 2]>>)

// -----

// expected-error@+1 {{expected 'offset'}}
func.func private @offset(tensor<2x3x4xf32, #memfmt.strided<[0, 1, 2], 0>>)
