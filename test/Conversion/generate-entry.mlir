// RUN: memfmt-opt %s --memfmt-generate-entry | FileCheck %s

// (context, inputs, outputs) of memfmt/Abi.h; 0 is returned.

// CHECK: func.func @main(%[[CONTEXT:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %[[OUTPUTS:.*]]: !llvm.ptr) -> i32
// CHECK-NOT: memfmt.launch
// CHECK: llvm.call %{{.*}}(%[[CONTEXT]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[ZERO]] : i32
module attributes {memfmt.constant_bytes = 0 : i64, memfmt.constants = []} {
  func.func @main(%x: memref<4xf32>, %y: memref<4xf32>, %arena: memref<64xi8>, %constants: memref<?xi8>)
      attributes {memfmt.arena_bytes = 64 : i64, memfmt.num_outputs = 1 : i64} {
    memfmt.launch @kernel tiles 3 id 0 (%x, %y : memref<4xf32>, memref<4xf32>)
    return
  }
  func.func @kernel(%buffers: !llvm.ptr, %lo: i64, %hi: i64) {
    return
  }
}
