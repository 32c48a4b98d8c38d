// RUN: memfmt-opt %s --memfmt-lower-to-vector --split-input-file --verify-diagnostics

func.func @unknown(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{names a kernel that is not registered: "magic"}}
  memfmt.kernel "magic" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    {orders = [array<i64: 0>, array<i64: 0>], params = {}}
  return
}
