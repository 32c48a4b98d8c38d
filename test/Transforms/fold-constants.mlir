// RUN: memfmt-opt %s --memfmt-fold-constants --split-input-file | FileCheck %s

// The scale of a batch norm: 1.5 / sqrt(3.75 + 0.25), and 4 / sqrt(0.75 + 0.25).

#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @scale
// CHECK-NEXT: %[[C:.+]] = arith.constant dense<[7.500000e-01, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @scale() -> tensor<2xf32> {
  %var = arith.constant dense<[3.75, 0.75]> : tensor<2xf32>
  %gamma = arith.constant dense<[1.5, 4.0]> : tensor<2xf32>
  %epsilon = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%var, %gamma : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%v: f32, %g: f32, %out: f32):
    %1 = arith.addf %v, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %2, %g : f32
    linalg.yield %3 : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Broadcast along loops and at index 0, a permuted operand, a destination that is
// read, a permuted result: y[j][i] = a[i][j] * r[j] + s[0] + init[j][i].

#aij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#j = affine_map<(i, j) -> (j)>
#zero = affine_map<(i, j) -> (0)>
// CHECK-LABEL: func @maps
// CHECK: dense<{{\[\[}}112, 142], [224, 254], [336, 366]]> : tensor<3x2xi32>
// CHECK-NOT: linalg
func.func @maps() -> tensor<3x2xi32> {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = arith.constant dense<[10, 10, 10]> : tensor<3xi32>
  %s = arith.constant dense<[2]> : tensor<1xi32>
  %init = arith.constant dense<[[100, 100], [202, 202], [304, 304]]> : tensor<3x2xi32>
  %0 = linalg.generic {indexing_maps = [#aij, #j, #zero, #ji], iterator_types = ["parallel", "parallel"]}
      ins(%a, %r, %s : tensor<2x3xi32>, tensor<3xi32>, tensor<1xi32>) outs(%init : tensor<3x2xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32, %out: i32):
    %1 = arith.muli %x, %y : i32
    %2 = arith.addi %1, %z : i32
    %3 = arith.addi %2, %out : i32
    linalg.yield %3 : i32
  } -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// -----

// Two channels packed by 2x2 from 3x3: the padding is -1.

// CHECK-LABEL: func @pack
// CHECK: dense<{{\[\[\[\[}}1, 4], [2, 5]], {{\[\[}}7, -1], [8, -1]]],
// CHECK-SAME:  {{\[\[\[}}3, 6], [-1, -1]], {{\[\[}}9, -1], [-1, -1]]]]> : tensor<2x2x2x2xi8>
func.func @pack() -> tensor<2x2x2x2xi8> {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi8>
  %pad = arith.constant -1 : i8
  %e = tensor.empty() : tensor<2x2x2x2xi8>
  %0 = linalg.pack %x padding_value(%pad : i8) outer_dims_perm = [1, 0]
      inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %e : tensor<3x3xi8> -> tensor<2x2x2x2xi8>
  return %0 : tensor<2x2x2x2xi8>
}

// CHECK-LABEL: func @unpack
// CHECK: dense<{{\[\[}}1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi8>
func.func @unpack() -> tensor<3x3xi8> {
  %x = arith.constant dense<[[[[1, 4], [2, 5]], [[7, -1], [8, -1]]],
                             [[[3, 6], [-1, -1]], [[9, -1], [-1, -1]]]]> : tensor<2x2x2x2xi8>
  %e = tensor.empty() : tensor<3x3xi8>
  %0 = linalg.unpack %x outer_dims_perm = [1, 0]
      inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %e : tensor<2x2x2x2xi8> -> tensor<3x3xi8>
  return %0 : tensor<3x3xi8>
}

// -----

// A chain is evaluated to its end; what is read twice is evaluated once.

// CHECK-LABEL: func @chain
// CHECK-DAG: %[[PAD:.+]] = arith.constant dense<{{\[\[}}9, 9, 9], [1, 3, 9], [2, 4, 9]]> : tensor<3x3xi64>
// CHECK-DAG: %[[CAT:.+]] = arith.constant dense<{{\[\[}}1, 3, 1, 3], [2, 4, 2, 4]]> : tensor<2x4xi64>
// CHECK-NEXT: return %[[PAD]], %[[CAT]]
func.func @chain() -> (tensor<3x3xi64>, tensor<2x4xi64>) {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xi64> into tensor<2x2xi64>
  %e = tensor.empty() : tensor<2x2xi64>
  %1 = linalg.transpose ins(%0 : tensor<2x2xi64>) outs(%e : tensor<2x2xi64>) permutation = [1, 0]
  %nine = arith.constant 9 : i64
  %2 = tensor.pad %1 low[1, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %nine : i64
  } : tensor<2x2xi64> to tensor<3x3xi64>
  %3 = tensor.concat dim(1) %1, %1 : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x4xi64>
  return %2, %3 : tensor<3x3xi64>, tensor<2x4xi64>
}

// -----

// CHECK-LABEL: func @slices
// CHECK-DAG: dense<[5, 7]> : tensor<2xi16>
// CHECK-DAG: dense<{{\[\[}}1, 1], [2, 2]]> : tensor<2x2xi16>
// CHECK-DAG: dense<[true, false]> : tensor<2xi1>
func.func @slices() -> (tensor<2xi16>, tensor<2x2xi16>, tensor<2xi1>) {
  %x = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi16>
  %0 = tensor.extract_slice %x[1, 1] [1, 2] [1, 2] : tensor<2x4xi16> to tensor<2xi16>
  %v = arith.constant dense<[1, 2]> : tensor<2xi16>
  %e = tensor.empty() : tensor<2x2xi16>
  %1 = linalg.broadcast ins(%v : tensor<2xi16>) outs(%e : tensor<2x2xi16>) dimensions = [1]
  %b = arith.constant dense<[false, true]> : tensor<2xi1>
  %eb = arith.constant dense<true> : tensor<2xi1>
  %2 = arith.xori %b, %eb : tensor<2xi1>
  return %0, %1, %2 : tensor<2xi16>, tensor<2x2xi16>, tensor<2xi1>
}

// -----

// Formats are types; the elements stay in row-major order.

// CHECK-LABEL: func @format
// CHECK: dense<{{\[\[\[\[}}0, 1]], {{\[\[}}2, 3]]]]> : tensor<1x2x1x2xi32, #memfmt.format<channels_last>>
// CHECK-NOT: to_format
func.func @format() -> tensor<1x2x1x2xi32, #memfmt.format<channels_last>> {
  %x = arith.constant dense<[[[[0, 1]], [[2, 3]]]]> : tensor<1x2x1x2xi32>
  %0 = memfmt.to_format %x : tensor<1x2x1x2xi32> to tensor<1x2x1x2xi32, #memfmt.format<channels_last>>
  return %0 : tensor<1x2x1x2xi32, #memfmt.format<channels_last>>
}

// -----

// Splats stay splats, however large.

// CHECK-LABEL: func @splat
// CHECK: arith.constant dense<3.000000e+00> : tensor<1000x1000xf32>
func.func @splat() -> tensor<1000x1000xf32> {
  %x = arith.constant dense<1.0> : tensor<1000000xf32>
  %y = arith.constant dense<2.0> : tensor<1000000xf32>
  %0 = arith.addf %x, %y : tensor<1000000xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1000, 1000] : tensor<1000000xf32> into tensor<1000x1000xf32>
  return %1 : tensor<1000x1000xf32>
}

// -----

// A bias over an image is not stored, but it may be passed through.

// CHECK-LABEL: func @grows
// CHECK: linalg.fill
// CHECK: linalg.broadcast
func.func @grows() -> (tensor<64x100x100xf32>, tensor<64x100x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %bias = arith.constant dense<1.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64x100x100xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x100x100xf32>) -> tensor<64x100x100xf32>
  %1 = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e : tensor<64x100x100xf32>) dimensions = [1, 2]
  return %0, %1 : tensor<64x100x100xf32>, tensor<64x100x100xf32>
}

// CHECK-LABEL: func @grows_and_shrinks
// CHECK-NEXT: arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT: return
func.func @grows_and_shrinks() -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x100x100xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x100x100xf32>) -> tensor<64x100x100xf32>
  %1 = tensor.extract_slice %0[0, 0, 0] [64, 1, 1] [1, 1, 1] : tensor<64x100x100xf32> to tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// What has no defined result, is not known or cannot be evaluated stays.

#d0 = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @stays
// CHECK: arith.divsi
// CHECK: linalg.index
// CHECK: arith.addi {{.*}} : tensor<2xi32>
// CHECK: memfmt.pin
func.func @stays(%arg: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xindex>, tensor<2xi32>, tensor<1x2x1x2xi32, #memfmt.format<channels_last>>) {
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %y = arith.constant dense<[1, 0]> : tensor<2xi32>
  %0 = arith.divsi %x, %y : tensor<2xi32>
  %e = tensor.empty() : tensor<2xindex>
  %1 = linalg.generic {indexing_maps = [#d0], iterator_types = ["parallel"]} outs(%e : tensor<2xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<2xindex>
  %2 = arith.addi %x, %arg : tensor<2xi32>
  %w = arith.constant dense<1> : tensor<1x2x1x2xi32>
  %3 = memfmt.pin %w : tensor<1x2x1x2xi32> to tensor<1x2x1x2xi32, #memfmt.format<channels_last>>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2xindex>, tensor<2xi32>, tensor<1x2x1x2xi32, #memfmt.format<channels_last>>
}

// -----

// Scalars are evaluated too, as the value that is padded with; f64 is rounded.

// CHECK-LABEL: func @scalar
// CHECK-DAG: arith.constant 1.000000e-01 : f32
// CHECK-DAG: arith.constant dense<[2.000000e+00, 1.000000e-01]> : tensor<2xf32>
// CHECK-DAG: arith.constant true
// CHECK-DAG: arith.constant 7 : index
// CHECK-NEXT: return
func.func @scalar() -> (f32, tensor<2xf32>, i1, index) {
  %tenth = arith.constant 0.1 : f64
  %fifth = arith.constant 0.2 : f64
  %seven = arith.constant 7 : i32
  %z = arith.truncf %tenth : f64 to f32
  %x = arith.constant dense<2.0> : tensor<1xf32>
  %0 = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<1xf32> to tensor<2xf32>
  %1 = arith.cmpf olt, %tenth, %fifth : f64
  %2 = arith.index_cast %seven : i32 to index
  return %z, %0, %1, %2 : f32, tensor<2xf32>, i1, index
}

// -----

// Weights that are equal become weights that are equal.

// CHECK-LABEL: func @packed_splat
// CHECK: arith.constant dense<2.000000e-02> : tensor<16x64x3x3x4xf32>
// CHECK-NOT: linalg.pack
func.func @packed_splat() -> tensor<16x64x3x3x4xf32> {
  %x = arith.constant dense<2.0e-2> : tensor<64x64x3x3xf32>
  %e = tensor.empty() : tensor<16x64x3x3x4xf32>
  %0 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<64x64x3x3xf32> -> tensor<16x64x3x3x4xf32>
  return %0 : tensor<16x64x3x3x4xf32>
}

// -----

// A resource without data is not known.

// CHECK-LABEL: func @absent
// CHECK: dense_resource<weights> : tensor<4xf32>
// CHECK: tensor.expand_shape
func.func @absent() -> tensor<2x2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<4xf32>
  %0 = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
