// Why only passes of this project may run over encoded tensors: what upstream
// does to them in MLIR 22.1. A failure here after an update of LLVM says that a
// restriction may be lifted.
//
// RUN: split-file %s %t
// RUN: memfmt-opt %t/concat.mlir --canonicalize | FileCheck %t/concat.mlir
// RUN: memfmt-opt %t/bufferize.mlir --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   | FileCheck %t/bufferize.mlir
// RUN: memfmt-opt %t/arith.mlir --split-input-file --verify-diagnostics

//--- concat.mlir

// Canonicalisation drops the encoding of a concatenation, with casts around it.

// CHECK-LABEL: @concat
// CHECK: tensor.concat {{.*}} -> tensor<2x6x4x5xf32>
// CHECK: tensor.cast {{.*}} : tensor<2x6x4x5xf32> to tensor<2x6x4x5xf32, #memfmt.format<channels_last>>
func.func @concat(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x6x4x5xf32, #memfmt.format<channels_last>> {
  %y = tensor.concat dim(1) %x, %x
    : (tensor<2x3x4x5xf32, #memfmt.format<channels_last>>, tensor<2x3x4x5xf32, #memfmt.format<channels_last>>)
    -> tensor<2x6x4x5xf32, #memfmt.format<channels_last>>
  return %y : tensor<2x6x4x5xf32, #memfmt.format<channels_last>>
}

//--- bufferize.mlir

// Bufferization forgets the encoding.

// CHECK-LABEL: @add
// CHECK-SAME: memref<2x3x4x5xf32, strided<[?, ?, ?, ?], offset: ?>>
// CHECK-NOT: memfmt
func.func @add(%x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>,
               %y: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>> {
  %z = linalg.add
    ins(%x, %x : tensor<2x3x4x5xf32, #memfmt.format<channels_last>>, tensor<2x3x4x5xf32, #memfmt.format<channels_last>>)
    outs(%y : tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return %z : tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
}

//--- arith.mlir

// Masks and casts must have the encoding of what they belong to.

func.func @select(%mask: tensor<2x3x4x5xi1>, %x: tensor<2x3x4x5xf32, #memfmt.format<channels_last>>) {
  // expected-error@+1 {{expected condition type to have the same shape as the result type}}
  %y = arith.select %mask, %x, %x : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return
}

// -----

func.func @extf(%x: tensor<2x3x4x5xbf16>) {
  // expected-error@+1 {{are cast incompatible}}
  %y = arith.extf %x : tensor<2x3x4x5xbf16> to tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
  return
}
