// Formats that are declared where values are returned or yielded stay, though what
// computes the values runs in another one.
// RUN: memfmt-opt %s --memfmt-assign=target=avx2 --memfmt-verify-assignment=target=avx2 | FileCheck %s

#p = #memfmt.format<[3, 1, 0, 2]>

// CHECK-LABEL: func @returned
// CHECK: %[[Y:.*]] = memfmt.elementwise exp %{{.*}} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
// CHECK: %[[R:.*]] = memfmt.to_format %[[Y]] {{.*}} : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>
// CHECK: return %[[R]]
func.func @returned(%x: tensor<2x3x4x5xf32, #p>) -> tensor<2x3x4x5xf32, #p> {
  %0 = memfmt.elementwise exp %x : (tensor<2x3x4x5xf32, #p>) -> tensor<2x3x4x5xf32, #p>
  return %0 : tensor<2x3x4x5xf32, #p>
}

// CHECK-LABEL: func @yielded
// CHECK: scf.if
// CHECK: memfmt.elementwise
// CHECK: memfmt.to_format {{.*}} to tensor<2x3x4x5xf32, #memfmt.format<[3, 1, 0, 2]>>
// CHECK-NEXT: scf.yield
func.func @yielded(%b: i1, %x: tensor<2x3x4x5xf32, #p>) -> tensor<2x3x4x5xf32, #p> {
  %0 = scf.if %b -> tensor<2x3x4x5xf32, #p> {
    %1 = memfmt.elementwise exp %x : (tensor<2x3x4x5xf32, #p>) -> tensor<2x3x4x5xf32, #p>
    scf.yield %1 : tensor<2x3x4x5xf32, #p>
  } else {
    scf.yield %x : tensor<2x3x4x5xf32, #p>
  }
  return %0 : tensor<2x3x4x5xf32, #p>
}

// Ranks without a choice: the conversion back is priced.
// CHECK-LABEL: func @matrices
// CHECK: memfmt.to_format
func.func @matrices(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = memfmt.pin %x : tensor<8x64xf32> to tensor<8x64xf32, #memfmt.format<[0, 1], blocks = [0 : 16, 1 : 16]>>
  %1 = memfmt.elementwise add %0, %y : (tensor<8x64xf32, #memfmt.format<[0, 1], blocks = [0 : 16, 1 : 16]>>, tensor<8x64xf32>)
    -> tensor<8x64xf32, #memfmt.format<[0, 1], blocks = [0 : 16, 1 : 16]>>
  %2 = memfmt.to_format %1 : tensor<8x64xf32, #memfmt.format<[0, 1], blocks = [0 : 16, 1 : 16]>> to tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}
