// RUN: memfmt-opt %s --memfmt-plan-memory --split-input-file --verify-diagnostics

func.func @dynamic(%n: index) {
  // expected-error @below {{expects buffers of static shape and row-major layout when memory is planned, found 'memref<?xf32>'}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @no_numbers() {
  // expected-error @below {{expects buffers of numbers when memory is planned, found 'memref<4xcomplex<f32>>'}}
  %a = memref.alloc() : memref<4xcomplex<f32>>
  return
}

// -----

func.func @too_large() {
  // expected-error @below {{expects buffers of at most 64 TiB}}
  %a = memref.alloc() : memref<100000000x100000000xf32>
  return
}

// -----

func.func private @callee()
func.func @calls() {
  // expected-error @below {{is a call that could not be inlined; memory is planned for one function}}
  call @callee() : () -> ()
  return
}
