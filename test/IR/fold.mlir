// RUN: memfmt-opt %s --canonicalize --split-input-file | FileCheck %s

#cl = #memfmt.format<channels_last>
#chwn = #memfmt.format<[1, 2, 3, 0]>

// CHECK-LABEL: @same_type
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>)
// CHECK-NEXT: return %[[X]]
func.func @same_type(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @cancel
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>)
// CHECK-NEXT: return %[[X]]
func.func @cancel(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #cl>
  %z = memfmt.to_format %y : tensor<2x3x4x5xf32, #cl> to tensor<2x3x4x5xf32>
  return %z : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @compose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x5xf32>)
// CHECK-NEXT: %[[Z:.*]] = memfmt.to_format %[[X]] : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<[1, 2, 3, 0]>>
// CHECK-NEXT: return %[[Z]]
func.func @compose(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32, #chwn> {
  %y = memfmt.to_format %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #cl>
  %z = memfmt.to_format %y : tensor<2x3x4x5xf32, #cl> to tensor<2x3x4x5xf32, #chwn>
  return %z : tensor<2x3x4x5xf32, #chwn>
}

// Equivalent formats keep the declared type.

// CHECK-LABEL: @equivalent
// CHECK: memfmt.to_format {{.*}} to tensor<2x1x4x5xf32, #memfmt.format<channels_last>>
func.func @equivalent(%x: tensor<2x1x4x5xf32>) -> tensor<2x1x4x5xf32, #cl> {
  %y = memfmt.to_format %x : tensor<2x1x4x5xf32> to tensor<2x1x4x5xf32, #cl>
  return %y : tensor<2x1x4x5xf32, #cl>
}

// The bytes of a constant stay in logical order; only its type changes.

// CHECK-LABEL: @dense
// CHECK: arith.constant dense<{{\[\[\[}}0, 1], [2, 3], [4, 5]], {{\[\[}}6, 7], [8, 9], [10, 11]]]> : tensor<2x3x2xi32, #memfmt.format<channels_last>>
// CHECK-NOT: to_format
func.func @dense() -> tensor<2x3x2xi32, #cl> {
  %x = arith.constant dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]> : tensor<2x3x2xi32>
  %y = memfmt.to_format %x : tensor<2x3x2xi32> to tensor<2x3x2xi32, #cl>
  return %y : tensor<2x3x2xi32, #cl>
}

// CHECK-LABEL: @splat
// CHECK: arith.constant dense<1.5{{.*}}> : tensor<2x3x4xf32, #memfmt.format<channels_last>>
// CHECK-NOT: to_format
func.func @splat() -> tensor<2x3x4xf32, #cl> {
  %x = arith.constant dense<1.5> : tensor<2x3x4xf32>
  %y = memfmt.to_format %x : tensor<2x3x4xf32> to tensor<2x3x4xf32, #cl>
  return %y : tensor<2x3x4xf32, #cl>
}

// CHECK-LABEL: @resource
// CHECK: arith.constant dense_resource<weights> : tensor<1x2x2xi8, #memfmt.format<channels_last>>
// CHECK-NOT: to_format
func.func @resource() -> tensor<1x2x2xi8, #cl> {
  %x = arith.constant dense_resource<weights> : tensor<1x2x2xi8>
  %y = memfmt.to_format %x : tensor<1x2x2xi8> to tensor<1x2x2xi8, #cl>
  return %y : tensor<1x2x2xi8, #cl>
}

// A pin is never folded away.

// CHECK-LABEL: @pin
// CHECK: memfmt.pin
func.func @pin(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = memfmt.pin %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0100000001020304"
    }
  }
#-}
