// Casts of upstream passes keep the format: --canonicalize puts them around encoded
// concatenations, and they change what is known of sizes.
// RUN: memfmt-opt %s --canonicalize --memfmt-propagate | FileCheck %s
// RUN: memfmt-opt %s --canonicalize --memfmt-propagate=policy=torch | FileCheck %s
// RUN: memfmt-opt %s --canonicalize --memfmt-propagate --memfmt-materialize | FileCheck %s --check-prefix=PHYSICAL

#cl = #memfmt.format<channels_last>

// CHECK-LABEL: func @concat
// CHECK-NOT: memfmt.to_format
// CHECK: tensor.concat {{.*}} -> tensor<2x8x5x5xf32, #{{.*}}channels_last>>
// CHECK-NOT: memfmt.to_format
// CHECK: return
// PHYSICAL-LABEL: func @concat
// PHYSICAL-NOT: linalg.transpose
// PHYSICAL: tensor.concat dim(3) {{.*}} -> tensor<2x5x5x8xf32>
func.func @concat(%x: tensor<2x4x5x5xf32, #cl>) -> tensor<2x8x5x5xf32, #cl> {
  %0 = tensor.concat dim(1) %x, %x : (tensor<2x4x5x5xf32, #cl>, tensor<2x4x5x5xf32, #cl>) -> tensor<2x8x5x5xf32, #cl>
  return %0 : tensor<2x8x5x5xf32, #cl>
}

// CHECK-LABEL: func @sizes
// CHECK: tensor.cast {{.*}} : tensor<?x4x5x5xf32, #{{.*}}channels_last>> to tensor<2x4x5x5xf32, #{{.*}}channels_last>>
// CHECK: memfmt.elementwise {{.*}} -> tensor<2x4x5x5xf32, #{{.*}}channels_last>>
// PHYSICAL-LABEL: func @sizes
// PHYSICAL: tensor.cast {{.*}} : tensor<?x5x5x4xf32> to tensor<2x5x5x4xf32>
func.func @sizes(%x: tensor<?x4x5x5xf32, #cl>) -> tensor<2x4x5x5xf32, #cl> {
  %0 = tensor.cast %x : tensor<?x4x5x5xf32, #cl> to tensor<2x4x5x5xf32>
  %1 = memfmt.elementwise relu %0 : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32, #cl>
  return %1 : tensor<2x4x5x5xf32, #cl>
}

// A cast that is left between two formats is a conversion.
// PHYSICAL-LABEL: func @between
// PHYSICAL: linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
func.func @between(%x: tensor<2x4x5x5xf32, #cl>) -> tensor<2x4x5x5xf32> {
  %0 = tensor.cast %x : tensor<2x4x5x5xf32, #cl> to tensor<2x4x5x5xf32>
  return %0 : tensor<2x4x5x5xf32>
}
