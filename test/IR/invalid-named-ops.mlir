// RUN: memfmt-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{of kind `add` expects 2 inputs, found 1}}
  %0 = memfmt.elementwise add %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{of kind `elu` expects 1 parameters, found 0}}
  %0 = memfmt.elementwise elu %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{of kind `relu` expects 0 parameters, found 1}}
  %0 = memfmt.elementwise relu %x {parameters = array<f64: 1.0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %y: tensor<2x6x4x4xf32>) {
  // expected-error @+1 {{expects shapes that broadcast, found sizes 5 and 4 on axis 3}}
  %0 = memfmt.elementwise add %x, %y : (tensor<2x6x4x5xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects results of type 'tensor<2x6x4x5xf32>', found 'tensor<2x6x4x4xf32>'}}
  %0 = memfmt.elementwise relu %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{of kind `lt` expects a result of i1, found 'f32'}}
  %0 = memfmt.elementwise lt %x, %x : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{of kind `where` expects a mask of i1, found 'f32'}}
  %0 = memfmt.elementwise where %x, %x, %x : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{of kind `prelu` expects slopes of rank 1, one for each channel of its input or one for all, found 'tensor<5xf32>'}}
  %0 = memfmt.elementwise prelu %x, %s : (tensor<2x6x4x5xf32>, tensor<5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{expects signless numbers, found 'tensor<2xcomplex<f32>>'}}
  %0 = memfmt.elementwise neg %x : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a probability from 0 to below 1, found 1.0}}
  %0 = memfmt.dropout %x {probability = 1.0 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %m: tensor<2x6xf32>) {
  // expected-error @+1 {{expects a mask of the rank of its input, each size that of the input or 1, found 'tensor<2x6xf32>'}}
  %0 = memfmt.dropout %x, %m {probability = 0.5 : f64} : (tensor<2x6x4x5xf32>, tensor<2x6xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %m: tensor<2x6x1x1xi1>) {
  // expected-error @+1 {{expects a mask of element type 'f32', found 'i1'}}
  %0 = memfmt.dropout %x, %m {probability = 0.5 : f64} : (tensor<2x6x4x5xf32>, tensor<2x6x1x1xi1>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{converts elements only with `to`, found 'f32' and 'f64'}}
  %0 = memfmt.request_format clone preserve %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf64>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{with format `channels_last_3d` expects a tensor of rank 5, found rank 4}}
  %0 = memfmt.request_format to channels_last_3d %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{with option `channels_last_3d` expects a tensor of rank 5, found rank 4}}
  %0 = memfmt.empty_like channels_last_3d %x : tensor<2x6x4x5xf32> -> tensor<2x6x4x5xf32, #memfmt.format<channels_last>>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a permutation of 4 axes, found 3}}
  %0 = memfmt.permute %x {permutation = array<i64: 0, 1, 2>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects each axis once, found 2 twice}}
  %0 = memfmt.permute %x {permutation = array<i64: 0, 1, 2, 2>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an axis from 0 to 3, found 4}}
  %0 = memfmt.permute %x {permutation = array<i64: 0, 1, 2, 4>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects as many elements in 'tensor<2x6x4x6xf32>' as in 'tensor<2x6x4x5xf32>'}}
  %0 = memfmt.reshape %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a result of element type 'f32', found 'i32'}}
  %0 = memfmt.reshape %x : (tensor<2x6x4x5xf32>) -> tensor<2x120xi32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expands only axes of size 1, found 5 to 6 on result axis 3}}
  %0 = memfmt.expand %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a result of rank 4 or more, found rank 3}}
  %0 = memfmt.expand %x : (tensor<2x6x4x5xf32>) -> tensor<6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<?x3xf32>) {
  // expected-error @+1 {{expects a static size on axis 0}}
  %0 = memfmt.squeeze %x {axes = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an axis from 0 to 4, found 5}}
  %0 = memfmt.unsqueeze %x {axis = 5 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an index from 0 to below the size 6 of axis 1, found 6}}
  %0 = memfmt.select %x {axis = 1 : i64, index = 6 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects each axis once, found 1 twice}}
  %0 = memfmt.diagonal %x {axis1 = 1 : i64, axis2 = 1 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a window from 1 to the size 4 of axis 2, found 5}}
  %0 = memfmt.sliding_window %x {axis = 2 : i64, size = 5 : i64, step = 1 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x1x5x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a step of at least 1, found 0}}
  %0 = memfmt.sliding_window %x {axis = 2 : i64, size = 2 : i64, step = 0 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x3x5x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{with mode `reflect` expects padding of at most 3 on axis 2, found 4}}
  %0 = memfmt.pad reflect %x {low = array<i64: 0, 0, 4, 0>, high = array<i64: 0, 0, 0, 0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{with mode `circular` expects padding of at most 4 on axis 2, found 5}}
  %0 = memfmt.pad circular %x {low = array<i64: 0, 0, 5, 0>, high = array<i64: 0, 0, 0, 0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x9x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{crops only with mode `constant`}}
  %0 = memfmt.pad replicate %x {low = array<i64: 0, 0, -1, 0>, high = array<i64: 0, 0, 0, 0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{crops more than there is of axis 2}}
  %0 = memfmt.pad constant %x {low = array<i64: 0, 0, -3, 0>, high = array<i64: 0, 0, -2, 0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x0x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects `low` with 4 values, found 1}}
  %0 = memfmt.pad constant %x {low = array<i64: 1>, high = array<i64: 0, 0, 0, 0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an axis from 0 to 3, found 4}}
  %0 = memfmt.flip %x {axes = array<i64: 4>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects `shifts` with 1 values, found 2}}
  %0 = memfmt.roll %x {axes = array<i64: 1>, shifts = array<i64: 1, 2>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects `repeats` with 4 or more values, found 2}}
  %0 = memfmt.repeat %x {repeats = array<i64: 1, 2>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %y: tensor<2x6xf32>) {
  // expected-error @+1 {{expects inputs of one shape and element type, found}}
  %0 = memfmt.stack %x, %y {axis = 0 : i64} : (tensor<2x6x4x5xf32>, tensor<2x6xf32>) -> tensor<2x2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an even size on axis 3, found 5}}
  %0 = memfmt.glu %x {axis = 3 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+1 {{expects integer indices of rank 1, found 'tensor<2x2xi64>'}}
  %0 = memfmt.index_select %x, %i {axis = 0 : i64} : (tensor<2x6x4x5xf32>, tensor<2x2xi64>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects channels divisible by 4, found 6}}
  %0 = memfmt.pixel_shuffle %x {factor = 2 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x1x8x10xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a factor from 1 to 32768, found 0}}
  %0 = memfmt.pixel_shuffle %x {factor = 0 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5x2x2xf32>) {
  // expected-error @+1 {{expects an input of rank 3, 4 or 5, found rank 6}}
  %0 = memfmt.pixel_shuffle %x {factor = 1 : i64} : (tensor<2x6x4x5x2x2xf32>) -> tensor<2x6x4x5x2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a size divisible by 2 on axis 3, found 5}}
  %0 = memfmt.pixel_unshuffle %x {factor = 2 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x24x2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects groups that divide the 6 channels, found 4}}
  %0 = memfmt.channel_shuffle %x {groups = 4 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<5x6x2x2xf32>) {
  // expected-error @+1 {{expects a filter for 6 input channels, found 5}}
  %0 = memfmt.conv_transpose %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<5x6x2x2xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<6x6x2x2xf32>) {
  // expected-error @+1 {{expects `output_padding` with 2 values, found 1}}
  %0 = memfmt.conv_transpose %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<6x6x2x2xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<6x6x2x2xf32>) {
  // expected-error @+1 {{expects a number of input channels divisible by groups 4, found 6}}
  %0 = memfmt.conv_transpose %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 4 : i64} : (tensor<2x6x4x5xf32>, tensor<6x6x2x2xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<6x6x2x2xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{expects a bias of size 6, found 5}}
  %0 = memfmt.conv_transpose %x, %w, %b {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<6x6x2x2xf32>, tensor<5xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<6x6x2x2xf32>) {
  // expected-error @+1 {{expects a result of at least one element on axis 2}}
  %0 = memfmt.conv_transpose %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 9, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<6x6x2x2xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<3x6x2x2xf32>, %d: tensor<2x3x4x4xf32>) {
  // expected-error @+1 {{expects a gradient of size 3 on axis 2, found 4}}
  %0:3 = memfmt.conv_backward %d, %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x4x4xf32>, tensor<2x6x4x5xf32>, tensor<3x6x2x2xf32>) -> (tensor<2x6x4x5xf32>, tensor<3x6x2x2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects `window` with 2 values, found 1}}
  %0:2 = memfmt.max_pool_indices %x {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, window = array<i64: 2>} : (tensor<2x6x4x5xf32>) -> (tensor<2x6x4x5xf32>, tensor<2x6x4x5xi64>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %i: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects integer indices of the shape of 'tensor<2x6x4x5xf32>', found 'tensor<2x6x4x5xf32>'}}
  %0 = memfmt.max_unpool %x, %i : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %d: tensor<2x6x3x4xf32>) {
  // expected-error @+1 {{expects `exclude_pad` only with kind avg, found max}}
  %0 = memfmt.pool_backward max %d, %x {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, window = array<i64: 2, 2>, exclude_pad} : (tensor<2x6x3x4xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects kind avg or max, found sum}}
  %0 = memfmt.adaptive_pool sum %x : (tensor<2x6x4x5xf32>) -> tensor<2x6x1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a result with the batch, channels and element type of 'tensor<2x6x4x5xf32>', found 'tensor<2x5x1x1xf32>'}}
  %0 = memfmt.adaptive_pool avg %x : (tensor<2x6x4x5xf32>) -> tensor<2x5x1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects `scales` with 2 values, one for each spatial axis, found 1}}
  %0 = memfmt.resize linear half_pixel %x {scales = array<f64: 0.5>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x8x10xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects positive `scales`, found 0.0}}
  %0 = memfmt.resize linear half_pixel %x {scales = array<f64: 0.5, 0.0>} : (tensor<2x6x4x5xf32>) -> tensor<2x6x8x10xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x0x5xf32>) {
  // expected-error @+1 {{expects elements on axis 2 of its input, found none}}
  %0 = memfmt.resize nearest asymmetric %x : (tensor<2x6x0x5xf32>) -> tensor<2x6x8x10xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects groups that divide the 6 channels, found 4}}
  %0 = memfmt.group_norm %x {groups = 4 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{expects a scale of size 6, found 5}}
  %0 = memfmt.group_norm %x scale %s {groups = 3 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>, tensor<5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xi32>) {
  // expected-error @+1 {{expects floating point elements, found 'i32'}}
  %0 = memfmt.instance_norm %x {epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xi32>) -> tensor<2x6x4x5xi32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an epsilon of at least 0, found -1.0}}
  %0 = memfmt.instance_norm %x {epsilon = -1.0 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects from 1 to 4 axes, found 5}}
  %0 = memfmt.layer_norm %x {num_axes = 5 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expects a scale and an offset of the shape of the last 1 axes of 'tensor<2x6x4x5xf32>', found 'tensor<4xf32>'}}
  %0 = memfmt.layer_norm %x scale %s {num_axes = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>, tensor<4xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{expects an input of rank 2 or more, found rank 1}}
  %0:3 = memfmt.batch_norm_training %x {epsilon = 1.0e-5 : f64} : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %d: tensor<2x6x4x4xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{expects a gradient of the shape and element type of 'tensor<2x6x4x5xf32>', found 'tensor<2x6x4x4xf32>'}}
  %0:3 = memfmt.group_norm_backward %d, %x, %s {groups = 3 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x4xf32>, tensor<2x6x4x5xf32>, tensor<6xf32>) -> (tensor<2x6x4x5xf32>, tensor<6xf32>, tensor<6xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects a size from 1 to 2^31, found 0}}
  %0 = memfmt.local_response_norm %x {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, k = 1.0 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an axis from 0 to 3, found 4}}
  %0 = memfmt.softmax %x {axis = 4 : i64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{of kind `mean` expects floating point elements, found 'i32'}}
  %0 = memfmt.reduce mean %x {axes = array<i64: 1>} : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects results of type 'tensor<2x4x5xi64>', found 'tensor<2x4x5xf32>'}}
  %0 = memfmt.reduce argmax %x {axes = array<i64: 1>} : (tensor<2x6x4x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<4x7xf32>) {
  // expected-error @+1 {{expects inner sizes that agree, found 5 and 4}}
  %0 = memfmt.matmul %x, %w : (tensor<2x6x4x5xf32>, tensor<4x7xf32>) -> tensor<2x6x4x7xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %w: tensor<3x5x7xf32>) {
  // expected-error @+1 {{expects leading axes that broadcast, found sizes 6 and 3 on axis 1}}
  %0 = memfmt.matmul %x, %w : (tensor<2x6x4x5xf32>, tensor<3x5x7xf32>) -> tensor<2x6x4x7xf32>
  return
}

// -----

func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{expects operands of rank 2 or more, found ranks 1 and 1}}
  %0 = memfmt.matmul %x, %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{expects from 1 to 4 axes, found 0}}
  %0:3 = memfmt.layer_norm_backward %x, %x, %s {num_axes = 0 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<5xf32>) -> (tensor<2x6x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expects a scale and an offset of the shape of the last 1 axes of 'tensor<2x6x4x5xf32>', found 'tensor<4xf32>'}}
  %0:3 = memfmt.layer_norm_backward %x, %x, %s {num_axes = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<4xf32>) -> (tensor<2x6x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>) {
  // expected-error @+1 {{expects an epsilon of at least 0, found -1.0}}
  %0 = memfmt.layer_norm %x {num_axes = 1 : i64, epsilon = -1.0 : f64} : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %d: tensor<2x3x1x1xf32>) {
  // expected-error @+1 {{expects a gradient with the batch, channels and element type of 'tensor<2x6x4x5xf32>', found 'tensor<2x3x1x1xf32>'}}
  %0 = memfmt.adaptive_pool_backward avg %d, %x : (tensor<2x3x1x1xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x6x4x5xf32>, %d: tensor<2x6x1x1xf32>) {
  // expected-error @+1 {{expects kind avg or max, found sum}}
  %0 = memfmt.adaptive_pool_backward sum %d, %x : (tensor<2x6x1x1xf32>, tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects at least one input}}
  %0 = memfmt.elementwise eq : () -> tensor<f32>
  return
}

// -----

func.func @f(%x: vector<4xf32>) {
  // expected-error @+1 {{expects ranked tensors and scalars, found 'vector<4xf32>'}}
  %0 = memfmt.elementwise relu %x : (vector<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xui8>) {
  // expected-error @+1 {{expects signless numbers, found 'tensor<4xui8>'}}
  %0 = memfmt.elementwise relu %x : (tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects `ignore_nan` only with kinds that have bounds, found `relu`}}
  %0 = memfmt.elementwise relu %x {ignore_nan} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x1x4x4xcomplex<f32>>) {
  // expected-error @+1 {{expects elements that are signless numbers, found 'complex<f32>'}}
  %0 = memfmt.adaptive_pool avg %x : (tensor<1x1x4x4xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<2x4x5x5xf32>, %w: tensor<4x6x2x2xf16>) {
  // expected-error @+1 {{expects a filter of element type 'f32', found 'f16'}}
  %0 = memfmt.conv_transpose %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<2x4x5x5xf32>, tensor<4x6x2x2xf16>) -> tensor<2x6x10x10xf32>
  return
}

// -----

func.func @f(%x: tensor<2x?x4x4xf32>) {
  // expected-error @+1 {{expects a static number of channels for 2 groups, found 'tensor<2x?x4x4xf32>'}}
  %0 = memfmt.group_norm %x {groups = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x?x4x4xf32>) -> tensor<2x?x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x4xbf16>, %w: tensor<3x2x1x1xbf16>) {
  // expected-error @+1 {{expects result element type 'bf16' or 'f32' without an epilogue, found 'f64'}}
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x2x4x4xbf16>, tensor<3x2x1x1xbf16> -> tensor<1x3x4x4xf64>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x4xbf16>, %w: tensor<3x2x1x1xf32>) {
  // expected-error @+1 {{expects a filter of element type 'bf16', found 'f32'}}
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x2x4x4xbf16>, tensor<3x2x1x1xf32> -> tensor<1x3x4x4xbf16>
  return
}

// -----

func.func @f(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf16>) {
  // expected-error @+1 {{expects a bias of element type 'f32', found 'f16'}}
  %0 = memfmt.linear %x, %w bias(%b : tensor<3xf16>) : tensor<1x2xf32>, tensor<3x2xf32> -> tensor<1x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x4xf32>, %v: tensor<2xf16>) {
  // expected-error @+1 {{expects a mean of element type 'f32', found 'f16'}}
  %0 = memfmt.batch_norm %x, %v, %v, %v, %v {epsilon = 1.0e-05 : f64} : tensor<1x2x4xf32>, tensor<2xf16> -> tensor<1x2x4xf32>
  return
}

// -----

func.func @f(%d: tensor<1x3x4x4xf64>, %x: tensor<1x2x4x4xf32>, %w: tensor<3x2x1x1xf32>) {
  // expected-error @+1 {{expects tensors of element type 'f32', found 'f64'}}
  %0:3 = memfmt.conv_backward %d, %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<1x3x4x4xf64>, tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x4x4x4xf32>, %s: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{expects a scale of signless numbers, found 'complex<f32>'}}
  %0 = memfmt.group_norm %x scale %s {groups = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4x4x4xf32>, tensor<4xcomplex<f32>>) -> tensor<2x4x4x4xf32>
  return
}
