// RUN: memfmt-opt %s --canonicalize | FileCheck %s

// Answers of the specification and of PyTorch on the same sizes.

#cl = #memfmt.format<channels_last>
#rows = #memfmt.format<[0, 1, 2, 3]>

// One channel: contiguous and channels-last are both true.

// CHECK-LABEL: @one_channel
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: return %[[TRUE]], %[[TRUE]], %[[TRUE]], %[[TRUE]]
func.func @one_channel(%x: tensor<2x1x4x5xf32>, %y: tensor<2x1x4x5xf32, #cl>) -> (i1, i1, i1, i1) {
  %0 = memfmt.is_contiguous %x : tensor<2x1x4x5xf32> in #rows
  %1 = memfmt.is_contiguous %x : tensor<2x1x4x5xf32> in #cl
  %2 = memfmt.is_contiguous %y : tensor<2x1x4x5xf32, #cl> in #rows
  %3 = memfmt.is_contiguous %y : tensor<2x1x4x5xf32, #cl> in #cl
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: @two_formats
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: return %[[TRUE]], %[[FALSE]], %[[FALSE]], %[[TRUE]]
func.func @two_formats(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x4x5xf32, #cl>) -> (i1, i1, i1, i1) {
  %0 = memfmt.is_contiguous %x : tensor<2x3x4x5xf32> in #rows
  %1 = memfmt.is_contiguous %x : tensor<2x3x4x5xf32> in #cl
  %2 = memfmt.is_contiguous %y : tensor<2x3x4x5xf32, #cl> in #rows
  %3 = memfmt.is_contiguous %y : tensor<2x3x4x5xf32, #cl> in #cl
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// (1,1,3,4) with strides (24,24,4,1) is contiguous.

// CHECK-LABEL: @strided
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: return %[[TRUE]], %[[FALSE]]
func.func @strided(%x: tensor<1x1x3x4xf32, #memfmt.strided<[24, 24, 4, 1], offset: 0>>,
                   %y: tensor<2x1x3x4xf32, #memfmt.strided<[24, 24, 4, 1], offset: 0>>) -> (i1, i1) {
  %0 = memfmt.is_contiguous %x : tensor<1x1x3x4xf32, #memfmt.strided<[24, 24, 4, 1], offset: 0>> in #rows
  %1 = memfmt.is_contiguous %y : tensor<2x1x3x4xf32, #memfmt.strided<[24, 24, 4, 1], offset: 0>> in #rows
  return %0, %1 : i1, i1
}

// A rank that the format does not serve: no error, the answer is false.

// CHECK-LABEL: @rank
// CHECK: %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT: return %[[FALSE]]
func.func @rank(%x: tensor<3x4xf32>) -> i1 {
  %0 = memfmt.is_contiguous %x : tensor<3x4xf32> in #cl
  return %0 : i1
}

// What runs decides.

// CHECK-LABEL: @open
// CHECK-COUNT-2: memfmt.is_contiguous
func.func @open(%x: tensor<?x3x?x?xf32>, %y: tensor<2x3x4x5xf32, #memfmt.strided<[?, ?, ?, ?], offset: 0>>) -> (i1, i1) {
  %0 = memfmt.is_contiguous %x : tensor<?x3x?x?xf32> in #cl
  %1 = memfmt.is_contiguous %y : tensor<2x3x4x5xf32, #memfmt.strided<[?, ?, ?, ?], offset: 0>> in #cl
  return %0, %1 : i1, i1
}

// One channel is enough whatever the other sizes are.

// CHECK-LABEL: @dynamic
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: return %[[TRUE]]
func.func @dynamic(%x: tensor<?x1x?x?xf32>) -> i1 {
  %0 = memfmt.is_contiguous %x : tensor<?x1x?x?xf32> in #cl
  return %0 : i1
}

// The format of a computed value is not known before propagation.

// CHECK-LABEL: @computed
// CHECK: memfmt.is_contiguous
func.func @computed(%x: tensor<2x3x4x5xf32>) -> i1 {
  %y = math.exp %x : tensor<2x3x4x5xf32>
  %0 = memfmt.is_contiguous %y : tensor<2x3x4x5xf32> in #cl
  return %0 : i1
}
