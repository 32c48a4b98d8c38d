// RUN: memfmt-opt %s --memfmt-plan-memory | FileCheck %s

// Three buffers of 64 bytes, of which two are live at once: the first and the
// third share their place.

// CHECK: memfmt.constant_bytes = 64
// CHECK-SAME: memfmt.constants = [{offset = 0 : i64, value = dense<1.000000e+00> : tensor<16xf32>}]
// CHECK-LABEL: @main
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<128xi8>, %[[CONSTANTS:[a-z0-9]+]]: memref<?xi8>
// CHECK-SAME: memfmt.arena_bytes = 128 : i64, memfmt.arena_lower_bound = 128 : i64
// CHECK-NOT: memref.alloc
// CHECK: memref.view %[[CONSTANTS]][%{{.*}}][] : memref<?xi8> to memref<16xf32>
// CHECK: memref.view %[[ARENA]][%[[A:[a-z0-9_]+]]][] : memref<128xi8> to memref<16xf32>
// CHECK-NOT: memref.get_global
memref.global "private" constant @ones : memref<16xf32> = dense<1.0>
func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) attributes {memfmt.num_outputs = 1 : i64} {
  %ones = memref.get_global @ones : memref<16xf32>
  %a = memref.alloc() : memref<16xf32>
  linalg.add ins(%x, %ones : memref<16xf32>, memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.add ins(%a, %x : memref<16xf32>, memref<16xf32>) outs(%b : memref<16xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.add ins(%b, %x : memref<16xf32>, memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.add ins(%c, %x : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
