// RUN: memfmt-opt %s --memfmt-raise --split-input-file | FileCheck %s
// RUN: memfmt-opt %s --memfmt-raise --memfmt-raise --split-input-file | FileCheck %s

// Twice as many pixels by floor(o / 2), in one generic, as from ONNX.

// CHECK-LABEL: @nearest
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x3x5xf32>)
// CHECK-NEXT: %[[Y:.*]] = memfmt.resize nearest asymmetric %[[X]] :
// CHECK-NEXT: return %[[Y]]
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @nearest(%x: tensor<1x8x3x5xf32>) -> tensor<1x8x6x10xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<1x8x6x10xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x8x6x10xf32>) {
  ^bb0(%out: f32):
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.index_cast %h : index to i64
    %h1 = arith.sitofp %h0 : i64 to f32
    %h2 = arith.divf %h1, %two : f32
    %h3 = math.floor %h2 : f32
    %h4 = arith.maximumf %h3, %zero : f32
    %h5 = arith.minimumf %h4, %two : f32
    %h6 = arith.fptosi %h5 : f32 to i64
    %h7 = arith.index_cast %h6 : i64 to index
    %w0 = arith.index_cast %w : index to i64
    %w1 = arith.sitofp %w0 : i64 to f32
    %w2 = arith.divf %w1, %two : f32
    %w3 = math.floor %w2 : f32
    %w4 = arith.maximumf %w3, %zero : f32
    %w5 = arith.minimumf %w4, %four : f32
    %w6 = arith.fptosi %w5 : f32 to i64
    %w7 = arith.index_cast %w6 : i64 to index
    %v = tensor.extract %x[%c0, %c, %h7, %w7] : tensor<1x8x3x5xf32>
    linalg.yield %v : f32
  } -> tensor<1x8x6x10xf32>
  return %y : tensor<1x8x6x10xf32>
}

// -----

// One axis, places and weights in generics of their own: 4 to 8 pixels around
// half pixels.

// CHECK-LABEL: @linear
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = memfmt.resize linear half_pixel %[[X]] :
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#vector = affine_map<(d0) -> (d0)>
func.func @linear(%x: tensor<2x3x4xf32>) -> tensor<2x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %ef = tensor.empty() : tensor<8xf32>
  %ei = tensor.empty() : tensor<8xi64>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %place = linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%out: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.addf %2, %half : f32
    %4 = arith.mulf %3, %half : f32
    %5 = arith.subf %4, %half : f32
    %6 = arith.maximumf %5, %zero : f32
    linalg.yield %6 : f32
  } -> tensor<8xf32>
  %low = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%place : tensor<8xf32>) outs(%ei : tensor<8xi64>) {
  ^bb0(%p: f32, %out: i64):
    %0 = arith.fptosi %p : f32 to i64
    linalg.yield %0 : i64
  } -> tensor<8xi64>
  %high = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%low : tensor<8xi64>) outs(%ei : tensor<8xi64>) {
  ^bb0(%l: i64, %out: i64):
    %0 = arith.addi %l, %c1 : i64
    %1 = arith.minsi %0, %c3 : i64
    linalg.yield %1 : i64
  } -> tensor<8xi64>
  %weight = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%place, %low : tensor<8xf32>, tensor<8xi64>) outs(%ef : tensor<8xf32>) {
  ^bb0(%p: f32, %l: i64, %out: f32):
    %0 = arith.sitofp %l : i64 to f32
    %1 = arith.subf %p, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%low : tensor<8xi64>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%l: i64, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = arith.index_cast %l : i64 to index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x8xf32>
  %b = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%high : tensor<8xi64>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%l: i64, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = arith.index_cast %l : i64 to index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b, %weight : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%l: f32, %r: f32, %w: f32, %out: f32):
    %0 = arith.subf %r, %l : f32
    %1 = arith.mulf %0, %w : f32
    %2 = arith.addf %l, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Every second pixel of four; the corners of three pixels onto five.

// CHECK-LABEL: @smaller
// CHECK: memfmt.resize nearest asymmetric
// CHECK-LABEL: @corners
// CHECK: memfmt.resize linear align_corners
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
func.func @smaller(%x: tensor<2x3x4xf32>) -> tensor<2x3x2xf32> {
  %table = arith.constant dense<[0, 2]> : tensor<2xindex>
  %e = tensor.empty() : tensor<2x3x2xf32>
  %y = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%table : tensor<2xindex>) outs(%e : tensor<2x3x2xf32>) {
  ^bb0(%i: index, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x2xf32>
  return %y : tensor<2x3x2xf32>
}
func.func @corners(%x: tensor<2x3x3xf32>) -> tensor<2x3x5xf32> {
  %low = arith.constant dense<[0, 0, 1, 1, 2]> : tensor<5xindex>
  %high = arith.constant dense<[1, 1, 2, 2, 2]> : tensor<5xindex>
  %weights = arith.constant dense<[0.0, 0.5, 0.0, 0.5, 0.0]> : tensor<5xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x3x5xf32>
  %y = linalg.generic {indexing_maps = [#last, #last, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%low, %high, %weights : tensor<5xindex>, tensor<5xindex>, tensor<5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%i: index, %j: index, %w: f32, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %l = tensor.extract %x[%n, %c, %i] : tensor<2x3x3xf32>
    %r = tensor.extract %x[%n, %c, %j] : tensor<2x3x3xf32>
    %0 = arith.subf %one, %w : f32
    %1 = arith.mulf %0, %l : f32
    %2 = arith.mulf %r, %w : f32
    %3 = arith.addf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// One index of eight is another; two channels change places; the weights do not
// add up to one; or by a hair; or in the second channel only.

// CHECK-LABEL: @other_index
// CHECK-NOT: memfmt.resize
// CHECK-LABEL: @other_channel
// CHECK-NOT: memfmt.resize
// CHECK-LABEL: @other_weight
// CHECK-NOT: memfmt.resize
// CHECK-LABEL: @scaled
// CHECK-NOT: memfmt.resize
// CHECK-LABEL: @scaled_channel
// CHECK-NOT: memfmt.resize
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
func.func @other_index(%x: tensor<2x3x4xf32>) -> tensor<2x3x8xf32> {
  %table = arith.constant dense<[0, 0, 1, 1, 2, 3, 3, 3]> : tensor<8xindex>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%table : tensor<8xindex>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%i: index, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
func.func @other_channel(%x: tensor<2x3x4xf32>) -> tensor<2x3x8xf32> {
  %channels = arith.constant dense<[0, 2, 1]> : tensor<3xindex>
  %table = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xindex>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#channel, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%channels, %table : tensor<3xindex>, tensor<8xindex>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%c: index, %i: index, %out: f32):
    %n = linalg.index 0 : index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
func.func @other_weight(%x: tensor<2x3x3xf32>) -> tensor<2x3x5xf32> {
  %low = arith.constant dense<[0, 0, 1, 1, 2]> : tensor<5xindex>
  %high = arith.constant dense<[1, 1, 2, 2, 2]> : tensor<5xindex>
  %weights = arith.constant dense<[0.0, 0.5, 0.0, 0.5, 0.0]> : tensor<5xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %y = linalg.generic {indexing_maps = [#last, #last, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%low, %high, %weights : tensor<5xindex>, tensor<5xindex>, tensor<5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%i: index, %j: index, %w: f32, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %l = tensor.extract %x[%n, %c, %i] : tensor<2x3x3xf32>
    %r = tensor.extract %x[%n, %c, %j] : tensor<2x3x3xf32>
    %0 = arith.mulf %r, %w : f32
    %1 = arith.addf %l, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
func.func @scaled(%x: tensor<2x3x4xf32>) -> tensor<2x3x8xf32> {
  %table = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xindex>
  %weights = arith.constant dense<1.00001> : tensor<8xf32>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#last, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%table, %weights : tensor<8xindex>, tensor<8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%i: index, %w: f32, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    %0 = arith.mulf %v, %w : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
func.func @scaled_channel(%x: tensor<2x3x4xf32>) -> tensor<2x3x8xf32> {
  %table = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xindex>
  %weights = arith.constant dense<[1.0, 2.0, 1.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#last, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%table, %weights : tensor<8xindex>, tensor<3xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%i: index, %w: f32, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%n, %c, %i] : tensor<2x3x4xf32>
    %0 = arith.mulf %v, %w : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
