// Faults of other systems in what a type says: each names the public report.
// RUN: memfmt-opt %s --canonicalize | FileCheck %s
// RUN: memfmt-opt %s --memfmt-propagate | FileCheck %s --check-prefix=PROPAGATE

#cl = #memfmt.format<channels_last>
#blocked = #memfmt.format<[0, 1, 2, 3], blocks = [1 : 16]>

// pytorch/pytorch#78611: a reshape to its own shape is the value itself, in every format
// and rank.
// CHECK-LABEL: func @own_shape
// CHECK-SAME: %[[A:.*]]: tensor<1x2x3x4xf32, #{{.*}}channels_last>>, %[[B:.*]]: tensor<1x2x3xf32, #{{.*}}channels_last>>, %[[C:.*]]: tensor<1x2x3x4xf32, #{{.*}}<[1, 3, 0, 2]>>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @own_shape(%a: tensor<1x2x3x4xf32, #cl>, %b: tensor<1x2x3xf32, #cl>, %c: tensor<1x2x3x4xf32, #memfmt.format<[1, 3, 0, 2]>>)
    -> (tensor<1x2x3x4xf32, #cl>, tensor<1x2x3xf32, #cl>, tensor<1x2x3x4xf32, #memfmt.format<[1, 3, 0, 2]>>) {
  %0 = memfmt.reshape %a : (tensor<1x2x3x4xf32, #cl>) -> tensor<1x2x3x4xf32, #cl>
  %1 = memfmt.reshape %b : (tensor<1x2x3xf32, #cl>) -> tensor<1x2x3xf32, #cl>
  %2 = memfmt.reshape %c : (tensor<1x2x3x4xf32, #memfmt.format<[1, 3, 0, 2]>>) -> tensor<1x2x3x4xf32, #memfmt.format<[1, 3, 0, 2]>>
  return %0, %1, %2 : tensor<1x2x3x4xf32, #cl>, tensor<1x2x3xf32, #cl>, tensor<1x2x3x4xf32, #memfmt.format<[1, 3, 0, 2]>>
}

// pytorch/pytorch#113437: merging the pixels is channels-last for one image as for two,
// and for any number.
// PROPAGATE-LABEL: func @pixels
// PROPAGATE: -> tensor<1x3x20xf32, #{{.*}}channels_last>>
// PROPAGATE: -> tensor<2x3x20xf32, #{{.*}}channels_last>>
// PROPAGATE: -> tensor<1x3x60xf32, #{{.*}}channels_last>>
func.func @pixels(%one: tensor<1x3x4x5xf32, #cl>, %two: tensor<2x3x4x5xf32, #cl>, %cube: tensor<1x3x3x4x5xf32, #cl>) {
  %0 = memfmt.reshape %one : (tensor<1x3x4x5xf32, #cl>) -> tensor<1x3x20xf32>
  %1 = memfmt.reshape %two : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x20xf32>
  %2 = memfmt.reshape %cube : (tensor<1x3x3x4x5xf32, #cl>) -> tensor<1x3x60xf32>
  return
}

// pytorch/pytorch#120873: the format of the result is that of the type, whatever the batch.
// PROPAGATE-LABEL: func @one_channel
// PROPAGATE: memfmt.conv {{.*}} -> tensor<?x10x28x28xf32, #{{.*}}channels_last>>
// PROPAGATE: memfmt.conv {{.*}} -> tensor<1x10x28x28xf32, #{{.*}}channels_last>>
func.func @one_channel(%x: tensor<?x1x28x28xf32, #cl>, %y: tensor<1x1x28x28xf32, #cl>, %w: tensor<10x1x1x1xf32>) {
  %0 = memfmt.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x1x28x28xf32, #cl>, tensor<10x1x1x1xf32> -> tensor<?x10x28x28xf32>
  %1 = memfmt.conv %y, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x1x28x28xf32, #cl>, tensor<10x1x1x1xf32> -> tensor<1x10x28x28xf32>
  return
}

// pytorch/pytorch#157862, pytorch/pytorch#47163: strides of axes of size 1 are no layout.
// CHECK-LABEL: func @weights_1x1
// CHECK-SAME: %[[A:.*]]: tensor<320x256x1x1xf32, #{{[^,]*}}<[256, 1, 256, 256], offset: 0>>, %[[B:.*]]: tensor<320x256x1x1xf32>
// CHECK-NOT: to_format
// CHECK: return
func.func @weights_1x1(%a: tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 256, 256]>>, %b: tensor<320x256x1x1xf32>) -> (i1, i1, i1, i1) {
  %0 = memfmt.to_format %a : tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 256, 256]>> to tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 1, 1]>>
  %1 = memfmt.to_format %0 : tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 1, 1]>> to tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 256, 256]>>
  %2 = memfmt.is_contiguous %1 : tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 256, 256]>> in #cl
  %3 = memfmt.is_contiguous %1 : tensor<320x256x1x1xf32, #memfmt.strided<[256, 1, 256, 256]>> in #memfmt.format<[0, 1, 2, 3]>
  %4 = memfmt.is_contiguous %b : tensor<320x256x1x1xf32> in #cl
  %5 = memfmt.is_contiguous %b : tensor<320x256x1x1xf32> in #memfmt.format<[3, 0, 2, 1]>
  return %2, %3, %4, %5 : i1, i1, i1, i1
}

// pytorch/executorch#22520: what is declared channels-last stays so when printed and read,
// though no stride tells it from row-major; the strides alone say both.
// CHECK-LABEL: func @depthwise_weight
// CHECK-SAME: tensor<8x1x3x3xf32, #{{.*}}channels_last>>, %{{.*}}: tensor<1x1x49x10xf32, #{{.*}}channels_last>>
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: return %[[TRUE]], %[[TRUE]], %[[TRUE]]
func.func @depthwise_weight(%a: tensor<8x1x3x3xf32, #cl>, %b: tensor<1x1x49x10xf32, #cl>, %c: tensor<8x1x3x3xf32, #memfmt.strided<[9, 1, 3, 1]>>) -> (i1, i1, i1) {
  %0 = memfmt.is_contiguous %c : tensor<8x1x3x3xf32, #memfmt.strided<[9, 1, 3, 1]>> in #cl
  %1 = memfmt.is_contiguous %c : tensor<8x1x3x3xf32, #memfmt.strided<[9, 1, 3, 1]>> in #memfmt.format<[0, 1, 2, 3]>
  %2 = memfmt.is_contiguous %a : tensor<8x1x3x3xf32, #cl> in #memfmt.format<[0, 1, 2, 3]>
  return %0, %1, %2 : i1, i1, i1
}

// libxsmm/tpp-mlir#911: the identity order, spelled or not, is the same.
// CHECK-LABEL: func @identity_order
// CHECK-SAME: %[[X:.*]]: tensor<2x32x4x5xf32>, %[[Y:.*]]: tensor<2x32x4x5xf32, #
// CHECK-NEXT: return %[[X]], %[[X]], %[[Y]]
func.func @identity_order(%x: tensor<2x32x4x5xf32>, %y: tensor<2x32x4x5xf32, #blocked>)
    -> (tensor<2x32x4x5xf32>, tensor<2x32x4x5xf32>, tensor<2x32x4x5xf32, #blocked>) {
  %0 = memfmt.to_format %x : tensor<2x32x4x5xf32> to tensor<2x32x4x5xf32, #blocked>
  %1 = memfmt.to_format %0 : tensor<2x32x4x5xf32, #blocked> to tensor<2x32x4x5xf32>
  %2 = memfmt.to_format %x : tensor<2x32x4x5xf32> to tensor<2x32x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>
  %3 = memfmt.to_format %2 : tensor<2x32x4x5xf32, #memfmt.format<[0, 1, 2, 3]>> to tensor<2x32x4x5xf32>
  %4 = memfmt.to_format %y : tensor<2x32x4x5xf32, #blocked> to tensor<2x32x4x5xf32, #memfmt.format<[0, 1, 2, 3]>>
  %5 = memfmt.to_format %4 : tensor<2x32x4x5xf32, #memfmt.format<[0, 1, 2, 3]>> to tensor<2x32x4x5xf32, #blocked>
  return %1, %3, %5 : tensor<2x32x4x5xf32>, tensor<2x32x4x5xf32>, tensor<2x32x4x5xf32, #blocked>
}

// microsoft/onnxruntime#32417: a permutation that is the identity is the value itself.
// CHECK-LABEL: func @identity_permutation
// CHECK-SAME: %[[W:.*]]: tensor<4x5xf32>, %[[X:.*]]: tensor<2x3x4x5xf32, #
// CHECK-NEXT: return %[[W]], %[[X]]
func.func @identity_permutation(%w: tensor<4x5xf32>, %x: tensor<2x3x4x5xf32, #cl>) -> (tensor<4x5xf32>, tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.permute %w {permutation = array<i64: 0, 1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = memfmt.permute %x {permutation = array<i64: 0, 1, 2, 3>} : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32, #cl>
  return %0, %1 : tensor<4x5xf32>, tensor<2x3x4x5xf32, #cl>
}

// pytorch/pytorch#92680, NVIDIA/TensorRT-Incubator#158, tensorflow/tensorflow#51598: axes
// that run backwards are memory like any other; `offset` is the first logical element.
// CHECK-LABEL: func @backwards
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: return %[[FALSE]], %[[FALSE]]
func.func @backwards(%a: tensor<34xf32, #memfmt.strided<[-1], offset: 33>>, %b: tensor<4x3xf32, #memfmt.strided<[-3, 1], offset: 9>>) -> (i1, i1) {
  %0 = memfmt.is_contiguous %a : tensor<34xf32, #memfmt.strided<[-1], offset: 33>> in #memfmt.format<[0]>
  %1 = memfmt.is_contiguous %b : tensor<4x3xf32, #memfmt.strided<[-3, 1], offset: 9>> in #memfmt.format<[0, 1]>
  return %0, %1 : i1, i1
}
