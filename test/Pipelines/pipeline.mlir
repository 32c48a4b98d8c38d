// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2 to=semantic" | FileCheck %s --check-prefix=SEMANTIC
// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2 to=encoded" | FileCheck %s --check-prefix=ENCODED
// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2 to=encoded baseline" | FileCheck %s --check-prefix=BASELINE
// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2 to=physical" | FileCheck %s --check-prefix=PHYSICAL --implicit-check-not=memfmt
// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2 to=kernels" | FileCheck %s --check-prefix=KERNELS
// RUN: memfmt-opt %s --memfmt-pipeline="target=avx2" | FileCheck %s --check-prefix=LLVM
// RUN: not memfmt-opt %s --memfmt-pipeline="to=moon" 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: unknown stage "moon", expects semantic, encoded, physical, kernels or llvm

// SEMANTIC-LABEL: @main
// SEMANTIC: memfmt.conv
// SEMANTIC: memfmt.yield
// SEMANTIC-NOT: linalg.conv_2d
// SEMANTIC-NOT: call @layer

// ENCODED: memfmt.certificate
// ENCODED-LABEL: @main
// ENCODED: memfmt.conv {{.*}}
// ENCODED: -> tensor<1x64x26x26xf32, #memfmt.format<channels_last>>

// BASELINE-NOT: memfmt.certificate
// BASELINE-NOT: channels_last
// BASELINE: -> tensor<1x64x26x26xf32>

// PHYSICAL-LABEL: @main
// PHYSICAL: linalg.conv_2d_nhwc_hwcf

// KERNELS-LABEL: @main
// KERNELS: memfmt.kernel "conv.direct"
// KERNELS-NOT: tensor<

// LLVM: llvm.func @main(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// LLVM: llvm.func @memfmt_conv_direct_{{[0-9]+}}
// LLVM: llvm.intr.fm{{a|uladd}}

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func private @layer(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x26x26xf32> {
  %w = arith.constant dense<0.5> : tensor<64x64x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x64x26x26xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x26x26xf32>) -> tensor<1x64x26x26xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) outs(%filled : tensor<1x64x26x26xf32>) -> tensor<1x64x26x26xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x64x26x26xf32>) outs(%empty : tensor<1x64x26x26xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.cmpf ugt, %a, %zero : f32
    %r = arith.select %c, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x64x26x26xf32>
  return %z : tensor<1x64x26x26xf32>
}

func.func @main(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x26x26xf32> {
  %0 = call @layer(%x) : (tensor<1x64x28x28xf32>) -> tensor<1x64x26x26xf32>
  return %0 : tensor<1x64x26x26xf32>
}
