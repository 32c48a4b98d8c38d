// What eager PyTorch does with strides, where it surprises. Each function is named
// after the behaviour; values are those that PyTorch 2.15 gives, see also the rows in
// test/corpus. Strides compare as integers, axes of size 1 included.
//
// RUN: memfmt-opt %s --pass-pipeline='builtin.module(memfmt-propagate{policy=torch},memfmt-print-formats)' -o /dev/null 2>/dev/null \
// RUN:   | FileCheck %s

#cl = #memfmt.format<channels_last>

// The first operand decides, not channels-last.
// CHECK: "function":"contiguous_plus_last"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,20,5,1]}
func.func @contiguous_plus_last(%c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise add %c, %l : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// CHECK: "function":"last_plus_contiguous"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,1,15,3]}
func.func @last_plus_contiguous(%c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise add %l, %c : (tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return
}

// The first operand decides even when it is smaller and of lower rank.
// CHECK: "function":"smaller_first_operand"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,1,15,3]}
func.func @smaller_first_operand(%s: tensor<3x4x5xf32, #memfmt.strided<[1, 15, 3], offset: 0>>, %c: tensor<2x3x4x5xf32>) {
  %0 = memfmt.elementwise add %s, %c
    : (tensor<3x4x5xf32, #memfmt.strided<[1, 15, 3], offset: 0>>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return
}

// Axes of size 1 and scalars give no information.
// CHECK: "function":"bias_first"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,1,15,3]}
func.func @bias_first(%b: tensor<1x3x1x1xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise add %b, %l : (tensor<1x3x1x1xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// Two broadcasts that both are channels-last give row-major.
// CHECK: "function":"two_broadcasts"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,20,5,1]}
func.func @two_broadcasts(%a: tensor<2x3x1x1xf32, #cl>, %b: tensor<2x1x4x5xf32, #cl>) {
  %0 = memfmt.elementwise add %a, %b : (tensor<2x3x1x1xf32, #cl>, tensor<2x1x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// The condition of `where` is its first operand: a mask turns the data.
// CHECK: "function":"mask_decides"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[60,20,5,1]}
func.func @mask_decides(%m: tensor<2x3x4x5xi1>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise where %m, %l, %l
    : (tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// One operand that is contiguous in both formats becomes row-major; a number beside
// it counts as an operand and prevents that.
// CHECK: "function":"ambiguous_relu"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[3,1,1,1]}
func.func @ambiguous_relu(%x: tensor<2x3x1x1xf32, #cl>) {
  %0 = memfmt.elementwise relu %x : (tensor<2x3x1x1xf32, #cl>) -> tensor<2x3x1x1xf32>
  return
}

// CHECK: "function":"ambiguous_plus_number"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[3,1,3,3]}
func.func @ambiguous_plus_number(%x: tensor<2x3x1x1xf32, #cl>, %s: f32) {
  %0 = memfmt.elementwise add %x, %s : (tensor<2x3x1x1xf32, #cl>, f32) -> tensor<2x3x1x1xf32>
  return
}

// A global average keeps channels-last strides; the activation behind it loses them.
// CHECK: "function":"gate"{{.*}}"op":"memfmt.adaptive_pool"{{.*}}"strides":[3,1,3,3]}
// CHECK: "function":"gate"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[3,1,1,1]}
func.func @gate(%x: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.adaptive_pool avg %x : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x1x1xf32>
  %1 = memfmt.elementwise hardsigmoid %0 : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  return
}

// `mean` over the same axes loses them at once.
// CHECK: "function":"mean"{{.*}}"op":"memfmt.reduce"{{.*}}"strides":[3,1,1,1]}
func.func @mean(%x: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.reduce mean %x {axes = array<i64: 2, 3>, keep_axes} : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x1x1xf32>
  return
}

// The filter alone flips a convolution, even by the stride of an axis of size 1.
// CHECK: "function":"filter_flips"{{.*}}"op":"memfmt.conv"{{.*}}"strides":[384,1,48,6]}
func.func @filter_flips(%x: tensor<2x1x8x8xf32>, %w: tensor<6x1x3x3xf32, #cl>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x8x8xf32>, tensor<6x1x3x3xf32, #cl> -> tensor<2x6x8x8xf32>
  return
}

// CHECK: "function":"filter_does_not"{{.*}}"op":"memfmt.conv"{{.*}}"strides":[384,64,8,1]}
func.func @filter_does_not(%x: tensor<2x1x8x8xf32>, %w: tensor<6x1x3x3xf32>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x8x8xf32>, tensor<6x1x3x3xf32> -> tensor<2x6x8x8xf32>
  return
}

// A one-dimensional convolution asks its filter only.
// CHECK: "function":"conv1d_filter"{{.*}}"op":"memfmt.conv"{{.*}}"strides":[54,1,6]}
func.func @conv1d_filter(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32, #cl>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>,
    dilations = array<i64: 1>, groups = 1 : i64} : tensor<2x4x9xf32>, tensor<6x4x3xf32, #cl> -> tensor<2x6x9xf32>
  return
}

// CHECK: "function":"conv1d_input"{{.*}}"op":"memfmt.conv"{{.*}}"strides":[54,9,1]}
func.func @conv1d_input(%x: tensor<2x4x9xf32, #cl>, %w: tensor<6x4x3xf32>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>,
    dilations = array<i64: 1>, groups = 1 : i64} : tensor<2x4x9xf32, #cl>, tensor<6x4x3xf32> -> tensor<2x6x9xf32>
  return
}

// Softmax, layer norm and instance norm lose channels-last; group norm keeps it.
// CHECK: "function":"norms"{{.*}}"op":"memfmt.softmax"{{.*}}"strides":[96,16,4,1]}
// CHECK: "function":"norms"{{.*}}"op":"memfmt.layer_norm"{{.*}}"strides":[96,16,4,1]}
// CHECK: "function":"norms"{{.*}}"op":"memfmt.instance_norm"{{.*}}"strides":[96,16,4,1]}
// CHECK: "function":"norms"{{.*}}"op":"memfmt.group_norm"{{.*}}"strides":[96,1,24,6]}
func.func @norms(%x: tensor<2x6x4x4xf32, #cl>) {
  %0 = memfmt.softmax %x {axis = 1 : i64} : (tensor<2x6x4x4xf32, #cl>) -> tensor<2x6x4x4xf32>
  %1 = memfmt.layer_norm %x {num_axes = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x4xf32, #cl>) -> tensor<2x6x4x4xf32>
  %2 = memfmt.instance_norm %x {epsilon = 1.0e-5 : f64} : (tensor<2x6x4x4xf32, #cl>) -> tensor<2x6x4x4xf32>
  %3 = memfmt.group_norm %x {groups = 3 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x4x4xf32, #cl>) -> tensor<2x6x4x4xf32>
  return
}

// All tensors of a concatenation must suggest one format.
// CHECK: "function":"concat"{{.*}}"op":"tensor.concat"{{.*}}"strides":[120,1,30,6]}
// CHECK: "function":"concat"{{.*}}"op":"tensor.concat"{{.*}}"strides":[120,20,5,1]}
func.func @concat(%c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = tensor.concat dim(1) %l, %l : (tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x6x4x5xf32>
  %1 = tensor.concat dim(1) %l, %c : (tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// `to` compares with what strides suggest and restrides; `contiguous` asks whether the
// tensor is contiguous and returns it.
// CHECK: "function":"requests"{{.*}}"op":"memfmt.request_format"{{.*}}"strides":[3,1,3,3]}
// CHECK: "function":"requests"{{.*}}"op":"memfmt.request_format"{{.*}}"strides":[3,1,1,1]}
func.func @requests(%x: tensor<2x3x1x1xf32>) {
  %0 = memfmt.request_format to channels_last %x : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %1 = memfmt.request_format contiguous channels_last %x : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  return
}

// A slice of one image with a new batch axis is contiguous in channels-last but does not
// suggest it: a pool makes it row-major.
// CHECK: "function":"one_image"{{.*}}"op":"memfmt.select"{{.*}}"strides":[1,15,3]}
// CHECK: "function":"one_image"{{.*}}"op":"memfmt.unsqueeze"{{.*}}"strides":[3,1,15,3]}
// CHECK: "function":"one_image"{{.*}}"op":"memfmt.adaptive_pool"{{.*}}"strides":[12,4,2,1]}
func.func @one_image(%x: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.select %x {axis = 0 : i64, index = 0 : i64} : (tensor<2x3x4x5xf32, #cl>) -> tensor<3x4x5xf32>
  %1 = memfmt.unsqueeze %0 {axis = 0 : i64} : (tensor<3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %2 = memfmt.adaptive_pool max %1 : (tensor<1x3x4x5xf32>) -> tensor<1x3x2x2xf32>
  return
}

// Merging H and W of channels-last is a view, merging C too is a copy.
// CHECK: "function":"flatten"{{.*}}"op":"memfmt.reshape"{{.*}}"strides":[60,1,3]}
// CHECK: "function":"flatten"{{.*}}"op":"memfmt.reshape"{{.*}}"strides":[60,1]}
func.func @flatten(%x: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.reshape %x {view} : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x20xf32>
  %1 = memfmt.reshape %x : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x60xf32>
  return
}

// Any dense order of axes is kept, not only channels-last.
// CHECK: "format":"#memfmt.format<[2, 3, 0, 1]>","function":"permuted"
// CHECK-SAME: "op":"memfmt.elementwise"{{.*}}"strides":[3,1,30,6]}
func.func @permuted(%x: tensor<2x3x4x5xf32, #memfmt.strided<[3, 1, 30, 6], offset: 0>>) {
  %0 = memfmt.elementwise relu %x
    : (tensor<2x3x4x5xf32, #memfmt.strided<[3, 1, 30, 6], offset: 0>>) -> tensor<2x3x4x5xf32>
  return
}

// Residuals flip formats by the order of their operands.
// CHECK: "function":"residual"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[256,1,32,4]}
// CHECK: "function":"residual"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[256,64,8,1]}
func.func @residual(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32, #cl>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32, #cl> -> tensor<2x4x8x8xf32>
  %1 = memfmt.elementwise add %0, %x : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %2 = memfmt.elementwise add %x, %0 : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// Where paths meet with different strides only running the program tells which.
// CHECK: "function":"paths"{{.*}}"op":"scf.if"{{.*}}"strides":[60,null,null,null]}
func.func @paths(%b: i1, %c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = scf.if %b -> tensor<2x3x4x5xf32> {
    %1 = memfmt.elementwise relu %c : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    scf.yield %1 : tensor<2x3x4x5xf32>
  } else {
    %2 = memfmt.elementwise relu %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
    scf.yield %2 : tensor<2x3x4x5xf32>
  }
  return
}

// Sizes that are not known are taken to be larger than 1.
// CHECK: "format":"channels_last","function":"dynamic"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[null,1,null,3]}
func.func @dynamic(%x: tensor<?x3x?x?xf32, #cl>) {
  %0 = memfmt.elementwise relu %x : (tensor<?x3x?x?xf32, #cl>) -> tensor<?x3x?x?xf32>
  return
}

// Gradients: those of layer norm and of means over everything are row-major whatever
// the input, that of an adaptive pool has the format of its input, over three axes not.
// CHECK: "function":"gradients"{{.*}}"op":"memfmt.layer_norm_backward"{{.*}}"strides":[60,20,5,1]}
// CHECK: "function":"gradients"{{.*}}"op":"memfmt.adaptive_pool_backward"{{.*}}"strides":[60,1,15,3]}
// CHECK: "function":"gradients"{{.*}}"op":"memfmt.adaptive_pool_backward"{{.*}}"strides":[60,20,5,1]}
// CHECK: "function":"gradients"{{.*}}"op":"memfmt.adaptive_pool_backward"{{.*}}"strides":[60,1,15,3]}
// CHECK: "function":"gradients"{{.*}}"op":"memfmt.adaptive_pool_backward"{{.*}}"strides":[120,40,20,5,1]}
func.func @gradients(%x: tensor<2x3x4x5xf32, #cl>, %v: tensor<1x3x2x4x5xf32, #cl>, %s: tensor<5xf32>,
                     %d: tensor<2x3x2x2xf32>, %m: tensor<2x3x1x1xf32>, %e: tensor<1x3x2x2x2xf32>) {
  %0:3 = memfmt.layer_norm_backward %x, %x, %s {num_axes = 1 : i64, epsilon = 1.0e-05 : f64}
    : (tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32, #cl>, tensor<5xf32>) -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
  %1 = memfmt.adaptive_pool_backward avg %d, %x : (tensor<2x3x2x2xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %2 = memfmt.adaptive_pool_backward avg %m, %x : (tensor<2x3x1x1xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %3 = memfmt.adaptive_pool_backward max %m, %x : (tensor<2x3x1x1xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %4 = memfmt.adaptive_pool_backward max %e, %v : (tensor<1x3x2x2x2xf32>, tensor<1x3x2x4x5xf32, #cl>) -> tensor<1x3x2x4x5xf32>
  return
}

// Where strides that are known contradict every guess, nothing is claimed.
// CHECK: "function":"dynamic_permutation"{{.*}}"op":"memfmt.permute"{{.*}}"strides":[null,null,1,null]}
// CHECK: "function":"dynamic_permutation"{{.*}}"op":"memfmt.elementwise"{{.*}}"strides":[null,null,null,null]}
func.func @dynamic_permutation(%x: tensor<?x?x?x?xf32>) {
  %0 = memfmt.permute %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %1 = memfmt.elementwise relu %0 : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return
}
