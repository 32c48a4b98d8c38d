// Files of version 1 of the dialect stay readable. Inputs/v1.mlirbc was written
// from this text by the first version and is never regenerated.
//
// RUN: memfmt-opt %S/Inputs/v1.mlirbc | FileCheck %s
// RUN: memfmt-opt %s --emit-bytecode -o %t.mlirbc
// RUN: memfmt-opt %t.mlirbc | FileCheck %s

// CHECK-LABEL: @v1(
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16, 0 : 8]>>
// CHECK-SAME: tensor<2x3x4x5xf32, #memfmt.strided<[?, 0, -15, 3], offset: ?>>
// CHECK: memfmt.to_format
// CHECK: memfmt.pin
// CHECK: memfmt.assert_format
// CHECK: memfmt.is_contiguous
// CHECK: memfmt.empty_like preserve
func.func @v1(
    %0: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>,
    %1: tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>,
    %2: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>,
    %3: tensor<2x3x4x5xf32, #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16, 0 : 8]>>,
    %4: tensor<2x3x4x5xf32, #memfmt.strided<[?, 0, -15, 3], offset: ?>>) {
  %5 = memfmt.to_format %0 : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> to tensor<2x3x4x5xf32>
  %6 = memfmt.pin %5 : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32>
  %7 = memfmt.assert_format %0 : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> in #memfmt.format<channels_last>
  %8 = memfmt.is_contiguous %4 : tensor<2x3x4x5xf32, #memfmt.strided<[?, 0, -15, 3], offset: ?>> in #memfmt.format<channels_last>
  %9 = memfmt.empty_like preserve %0 : tensor<2x3x4x5xf32, #memfmt.format<channels_last>> -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return
}
