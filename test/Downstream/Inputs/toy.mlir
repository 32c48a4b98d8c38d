// CHECK-LABEL: func @formats
// CHECK: "toy.cube"(%{{.*}}) : (tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK: "toy.cube"(%{{.*}}) : (tensor<2x3xf32, #toy.column_major>) -> tensor<2x3xf32, #toy.column_major>
func.func @formats(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>, %m: tensor<2x3xf32, #toy.column_major>) {
  %0 = "toy.cube"(%x) : (tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32>
  %1 = "toy.cube"(%m) : (tensor<2x3xf32, #toy.column_major>) -> tensor<2x3xf32>
  return
}

// The result of the physical loops is read and written in column-major order.
// PHYSICAL-LABEL: func.func @lowered(%arg0: tensor<2x3xf32>)
// PHYSICAL: linalg.transpose ins(%arg0 : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
// PHYSICAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x2xf32>)
// PHYSICAL: %[[X:.*]] = tensor.extract
// PHYSICAL: %[[S:.*]] = arith.mulf %[[X]], %[[X]]
// PHYSICAL: arith.mulf %[[X]], %[[S]]
// PHYSICAL: return %{{.*}} : tensor<3x2xf32>
// PHYSICAL-NOT: toy.
func.func @lowered(%x: tensor<2x3xf32>) -> tensor<2x3xf32, #toy.column_major> {
  %0 = memfmt.to_format %x : tensor<2x3xf32> to tensor<2x3xf32, #toy.column_major>
  %1 = "toy.cube"(%0) : (tensor<2x3xf32, #toy.column_major>) -> tensor<2x3xf32, #toy.column_major>
  return %1 : tensor<2x3xf32, #toy.column_major>
}
