// RUN: memfmt-opt %s --memfmt-fold-constants --split-input-file | FileCheck %s

// Element types that nothing computes in are still moved; those without a size are
// left alone.

// CHECK-LABEL: func @types
// CHECK-DAG: dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi4>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 8.000000e+00]]> : tensor<2x2xf8E5M2>
// CHECK-DAG: dense<{{\[\[}}true, true], [false, true]]> : tensor<2x2xi1>
// CHECK-DAG: dense<true> : tensor<2x1xi1>
// CHECK: linalg.transpose {{.*}}complex
func.func @types() -> (tensor<2x2xi4>, tensor<2x2xf8E5M2>, tensor<2x2xi1>, tensor<2x1xi1>, tensor<2x2xcomplex<f32>>) {
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi4>
  %e0 = tensor.empty() : tensor<2x2xi4>
  %r0 = linalg.transpose ins(%0 : tensor<2x2xi4>) outs(%e0 : tensor<2x2xi4>) permutation = [1, 0]
  %1 = arith.constant dense<[[1.0, 2.0], [4.0, 8.0]]> : tensor<2x2xf8E5M2>
  %e1 = tensor.empty() : tensor<2x2xf8E5M2>
  %r1 = linalg.transpose ins(%1 : tensor<2x2xf8E5M2>) outs(%e1 : tensor<2x2xf8E5M2>) permutation = [1, 0]
  %2 = arith.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %e2 = tensor.empty() : tensor<2x2xi1>
  %r2 = linalg.transpose ins(%2 : tensor<2x2xi1>) outs(%e2 : tensor<2x2xi1>) permutation = [1, 0]
  %3 = arith.constant dense<true> : tensor<1x2xi1>
  %e3 = tensor.empty() : tensor<2x1xi1>
  %r3 = linalg.transpose ins(%3 : tensor<1x2xi1>) outs(%e3 : tensor<2x1xi1>) permutation = [1, 0]
  %4 = arith.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(1.0, 2.0), (3.0, 4.0)]]> : tensor<2x2xcomplex<f32>>
  %e4 = tensor.empty() : tensor<2x2xcomplex<f32>>
  %r4 = linalg.transpose ins(%4 : tensor<2x2xcomplex<f32>>) outs(%e4 : tensor<2x2xcomplex<f32>>) permutation = [1, 0]
  return %r0, %r1, %r2, %r3, %r4 : tensor<2x2xi4>, tensor<2x2xf8E5M2>, tensor<2x2xi1>, tensor<2x1xi1>, tensor<2x2xcomplex<f32>>
}

// -----

// Named element-wise operations; scalars beside tensors; a mask of one bit.

// CHECK-LABEL: func @named
// CHECK-DAG: dense<[5.000000e+00, 7.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[4.000000e+00, 1.000000e+01]> : tensor<2xf32>
// CHECK-DAG: dense<[4.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NOT: linalg
func.func @named() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = arith.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.add ins(%x, %y : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %1 = linalg.map { arith.mulf } ins(%x, %y : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>)
  %m = arith.constant dense<[false, true]> : tensor<2xi1>
  %2 = arith.select %m, %x, %y : tensor<2xi1>, tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Types that spell more memory than there is.

// CHECK-LABEL: func @huge
// CHECK: linalg.pack
// CHECK: tensor.pad
// CHECK: arith.constant dense<2.000000e+00> : tensor<1000000x1000000x16xf32>
func.func @huge() -> (tensor<1000000x1000000x16xf32>, tensor<1000001x16000000xf32>, tensor<1000000x1000000x16xf32>) {
  %x = arith.constant dense<1.0> : tensor<1000000x15999999xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000000x1000000x16xf32>
  %0 = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [1] inner_tiles = [16] into %e : tensor<1000000x15999999xf32> -> tensor<1000000x1000000x16xf32>
  %1 = tensor.pad %x low[0, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<1000000x15999999xf32> to tensor<1000001x16000000xf32>
  %y = arith.constant dense<1.0> : tensor<1000000x1000000x16xf32>
  %2 = arith.addf %y, %y : tensor<1000000x1000000x16xf32>
  return %0, %1, %2 : tensor<1000000x1000000x16xf32>, tensor<1000001x16000000xf32>, tensor<1000000x1000000x16xf32>
}

// -----

// Empty tensors, dynamic types, and sizes that are not known stay as they are.

// CHECK-LABEL: func @empty
// CHECK: linalg.transpose
// CHECK: tensor.cast
// CHECK: tensor.extract_slice
func.func @empty(%n: index) -> (tensor<3x0xf32>, tensor<?xf32>, tensor<?xf32>) {
  %x = arith.constant dense<> : tensor<0x3xf32>
  %e = tensor.empty() : tensor<3x0xf32>
  %0 = linalg.transpose ins(%x : tensor<0x3xf32>) outs(%e : tensor<3x0xf32>) permutation = [1, 0]
  %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = tensor.cast %y : tensor<2xf32> to tensor<?xf32>
  %2 = tensor.extract_slice %y[0] [%n] [1] : tensor<2xf32> to tensor<?xf32>
  return %0, %1, %2 : tensor<3x0xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A padding that is computed is no constant.

// CHECK-LABEL: func @padding
// CHECK: tensor.pad
// CHECK: linalg.pack
func.func @padding(%z: f32) -> (tensor<3xf32>, tensor<2x2xf32>) {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = tensor.pad %y low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  return %0, %1 : tensor<3xf32>, tensor<2x2xf32>
}

// -----

// In a loop, and in a branch.

// CHECK-LABEL: func @regions
// CHECK: scf.for
// CHECK: arith.constant dense<[3, 5]> : tensor<2xi32>
// CHECK-NOT: arith.addi {{.*}}tensor
func.func @regions(%n: index) -> tensor<2xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %y = arith.constant dense<[2, 3]> : tensor<2xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<2xi32> {
    %s = arith.addi %x, %y : tensor<2xi32>
    scf.yield %s : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}
