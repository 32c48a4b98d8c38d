// Formats meet in a table that is commutative and associative, through regions, branches
// and calls.
// RUN: memfmt-opt %s --memfmt-propagate=origins=true 2>/dev/null | FileCheck %s

#cl = #memfmt.format<channels_last>

// CHECK-LABEL: func @either_order
// CHECK: memfmt.elementwise add {{.*}} -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
// CHECK: memfmt.elementwise add {{.*}} -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func @either_order(%c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise add %c, %l : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %1 = memfmt.elementwise add %l, %c : (tensor<2x3x4x5xf32, #cl>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return
}

// A row, a column, a scalar have no say.
// CHECK-LABEL: func @broadcasts
// CHECK-COUNT-3: memfmt.elementwise mul {{.*}} -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func @broadcasts(%l: tensor<2x3x4x5xf32, #cl>, %r: tensor<4x5xf32>, %c: tensor<1x3x1x1xf32>, %s: f32) {
  %0 = memfmt.elementwise mul %l, %r : (tensor<2x3x4x5xf32, #cl>, tensor<4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = memfmt.elementwise mul %c, %l : (tensor<1x3x1x1xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %2 = memfmt.elementwise mul %s, %l : (f32, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}

// Two different permutations meet in channels-last.
// CHECK-LABEL: func @permutations
// CHECK: memfmt.elementwise add {{.*}} -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func @permutations(%a: tensor<2x3x4x5xf32, #memfmt.format<[3, 2, 1, 0]>>,
                        %b: tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>) {
  %0 = memfmt.elementwise add %a, %b
    : (tensor<2x3x4x5xf32, #memfmt.format<[3, 2, 1, 0]>>, tensor<2x3x4x5xf32, #memfmt.format<[1, 0, 2, 3]>>) -> tensor<2x3x4x5xf32>
  return
}

// Views keep the memory: x[0] of channels-last is CHW with C innermost, and channels-last
// again with a batch axis; merging H and W keeps it; permute renames axes.
// CHECK-LABEL: func @views
// CHECK: memfmt.select {{.*}} -> tensor<3x4x5xf32, #memfmt.format<[1, 2, 0]>>
// CHECK: memfmt.unsqueeze {{.*}} -> tensor<1x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.reshape {{.*}} -> tensor<2x3x20xf32, #memfmt.format<channels_last>>
// CHECK: memfmt.permute {{.*}} -> tensor<2x4x5x3xf32>
// CHECK: memfmt.permute {{.*}} -> tensor<2x3x4x5xf32, #memfmt.format<channels_last>>
// CHECK-NOT: memfmt.to_format
// CHECK: return
func.func @views(%l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.select %l {axis = 0 : i64, index = 0 : i64} : (tensor<2x3x4x5xf32, #cl>) -> tensor<3x4x5xf32>
  %1 = memfmt.unsqueeze %0 {axis = 0 : i64} : (tensor<3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %2 = memfmt.reshape %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x20xf32>
  %3 = memfmt.permute %l {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x4x5x3xf32>
  %4 = memfmt.permute %3 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  return
}

// Merging C, H and W of channels-last copies: the operand is made row-major.
// CHECK-LABEL: func @flatten
// CHECK: %[[R:.*]] = memfmt.to_format %{{.*}} to tensor<2x3x4x5xf32>
// CHECK: memfmt.reshape %[[R]] : (tensor<2x3x4x5xf32>) -> tensor<2x60xf32>
func.func @flatten(%l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.reshape %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x60xf32>
  return
}

// A loop whose body makes a value channels-last carries it in that format, initial value
// included.
// CHECK-LABEL: func @loop
// CHECK: %[[INIT:.*]] = memfmt.to_format %arg0 : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #{{.*}}channels_last>>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]]) -> (tensor<2x3x4x5xf32, #{{.*}}channels_last>>)
// CHECK: scf.yield %{{.*}} : tensor<2x3x4x5xf32, #{{.*}}channels_last>>
// CHECK: %[[OUT:.*]] = memfmt.to_format %{{.*}} to tensor<2x3x4x5xf32>
// CHECK: return %[[OUT]]
func.func @loop(%x: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>, %n: index) -> tensor<2x3x4x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<2x3x4x5xf32> {
    %1 = memfmt.elementwise add %a, %l : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
    scf.yield %1 : tensor<2x3x4x5xf32>
  }
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func @while_loop
// CHECK: scf.while {{.*}} : (tensor<2x3x4x5xf32, #{{.*}}channels_last>>) -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func @while_loop(%l: tensor<2x3x4x5xf32, #cl>, %b: i1) {
  %0 = scf.while (%a = %l) : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32, #cl> {
    scf.condition(%b) %a : tensor<2x3x4x5xf32, #cl>
  } do {
  ^bb0(%a: tensor<2x3x4x5xf32, #cl>):
    %1 = memfmt.elementwise relu %a : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32, #cl>
    scf.yield %1 : tensor<2x3x4x5xf32, #cl>
  }
  return
}

// CHECK-LABEL: func @branches
// CHECK: scf.if {{.*}} -> (tensor<2x3x4x5xf32, #{{.*}}channels_last>>)
// CHECK: memfmt.to_format
// CHECK: scf.yield
// CHECK: else
// CHECK-NOT: memfmt.to_format
// CHECK: return
func.func @branches(%b: i1, %c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = scf.if %b -> tensor<2x3x4x5xf32> {
    %1 = memfmt.elementwise relu %c : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    scf.yield %1 : tensor<2x3x4x5xf32>
  } else {
    %2 = memfmt.elementwise relu %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
    scf.yield %2 : tensor<2x3x4x5xf32>
  }
  return
}

// CHECK-LABEL: func @blocks
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<2x3x4x5xf32, #{{.*}}channels_last>>), ^bb1(%{{.*}} : tensor<2x3x4x5xf32, #{{.*}}channels_last>>)
// CHECK: ^bb1(%{{.*}}: tensor<2x3x4x5xf32, #{{.*}}channels_last>>)
func.func @blocks(%b: i1, %c: tensor<2x3x4x5xf32>, %l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise relu %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  cf.cond_br %b, ^bb1(%c : tensor<2x3x4x5xf32>), ^bb1(%0 : tensor<2x3x4x5xf32>)
^bb1(%a: tensor<2x3x4x5xf32>):
  return
}

// A private function takes the format of its callers and returns what it makes.
// CHECK-LABEL: func @caller
// CHECK: call @callee(%{{.*}}) : (tensor<2x3x4x5xf32, #{{.*}}channels_last>>) -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func @caller(%l: tensor<2x3x4x5xf32, #cl>) {
  %0 = memfmt.elementwise relu %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %1 = call @callee(%0) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return
}

// CHECK-LABEL: func private @callee
// CHECK-SAME: (%{{.*}}: tensor<2x3x4x5xf32, #{{.*}}channels_last>>) -> tensor<2x3x4x5xf32, #{{.*}}channels_last>>
func.func private @callee(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = memfmt.elementwise neg %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Every fact says where it came from.
// CHECK-LABEL: func @origin
// CHECK: memfmt.elementwise neg {{.*}}memfmt.origin = ["argument 0 at
// CHECK: memfmt.elementwise relu {{.*}}memfmt.origin = ["`memfmt.pin` at
func.func @origin(%l: tensor<2x3x4x5xf32, #cl>, %x: tensor<2x3x4x5xf32>) {
  %0 = memfmt.elementwise neg %l : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  %1 = memfmt.pin %x : tensor<2x3x4x5xf32> to tensor<2x3x4x5xf32, #cl>
  %2 = memfmt.elementwise relu %1 : (tensor<2x3x4x5xf32, #cl>) -> tensor<2x3x4x5xf32>
  return
}
