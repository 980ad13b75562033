// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-lower-dispatch | filecheck %s
// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect \
// RUN:   --inplace-lower-dispatch='workgroups=loops workgroup-size=8,0,2 workgroup-count=5' \
// RUN:   | filecheck %s --check-prefix=LOOPS
// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-lower-dispatch='workgroups=arguments' \
// RUN:   | filecheck %s --check-prefix=ARGS
// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-lower-dispatch='check-sizes' \
// RUN:   --canonicalize | filecheck %s --check-prefix=SIZES

// Arguments in order, after those there are: bindings by set and binding, push constants by index, sizes, counts. What
// all workgroups compute alike stays in front of the loop.

// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[OLD:[^:]*]]: f32,
// CHECK-SAME: %[[IN:[^:]*]]: memref<?x4xf32> {bufferization.access = "read", bufferization.writable = false, inplace.binding = array<i64: 0, 1>},
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x4xf32> {bufferization.access = "write", bufferization.writable = true, inplace.binding = array<i64: 1, 0>},
// CHECK-SAME: %[[M:[^:]*]]: index, %[[SCALE:[^:]*]]: i32, %[[SX:[^:]*]]: index, %[[NX:[^:]*]]: index, %[[NZ:[^:]*]]: index)
// CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[NX]], %[[SX]]
// CHECK-NEXT: scf.forall (%[[Z:.*]], %[[X:.*]]) in (%[[NZ]], %[[NX]]) {
// CHECK-NEXT:   arith.muli %[[X]], %[[SX]]
// CHECK-NEXT:   memref.copy %[[IN]], %[[OUT]]
// CHECK-NEXT:   "test.use"({{.*}}, %[[STEP]], %[[Z]], %[[SCALE]], %[[M]], %[[OLD]])
// CHECK-NEXT: }
// CHECK-NEXT: return

// LOOPS-LABEL: func.func @order(
// LOOPS-SAME: %{{[^:]*}}: i32, %[[NZ:[^:]*]]: index)
// LOOPS-DAG: %[[C5:.*]] = arith.constant 5 : index
// LOOPS-DAG: %[[C8:.*]] = arith.constant 8 : index
// LOOPS: %[[STEP:.*]] = arith.muli %[[C5]], %[[C8]]
// LOOPS: scf.for %[[Z:.*]] = %{{.*}} to %[[NZ]] step
// LOOPS: scf.for %[[X:.*]] = %{{.*}} to %[[C5]] step
// LOOPS: arith.muli %[[X]], %[[C8]]

// ARGS-LABEL: func.func @order(
// ARGS-SAME: i32, %[[SX:[^:]*]]: index, %[[NX:[^:]*]]: index, %[[X:[^:]*]]: index, %[[Z:[^:]*]]: index)
// ARGS-NOT: scf.
// ARGS: arith.muli %[[X]], %[[SX]]
// ARGS: return

// The memory is checked against the push constant, the grid against numbers that make sense.

// SIZES-LABEL: func.func @order(
// SIZES-SAME: -> (index, index) attributes
// SIZES-SAME: inplace.size_checks = [array<i64: 5, -2>, array<i64: 6, -2>, array<i64: 7, -2>, array<i64: 1, 0>, array<i64: 2, 0>]
// SIZES: memref.dim
// SIZES: memref.dim
// SIZES: arith.select
// SIZES: scf.if
// SIZES-NEXT: scf.forall
// SIZES: return %{{.*}}, %{{.*}} : index, index
func.func @order(%old: f32) {
  %x = dispatch.workgroup_id 0 : index
  %z = dispatch.workgroup_id 2 : index
  %scale = dispatch.push_constant 3 : i32
  %m = dispatch.push_constant 0 : index
  %out = dispatch.binding set(1) binding(0) sizes(%m) : memref<?x4xf32>
  %in = dispatch.binding set(0) binding(1) : memref<?x4xf32>
  %tied = dispatch.tie_shape %in, [%m] : memref<?x4xf32>
  %sx = dispatch.workgroup_size 0 : index
  %nx = dispatch.workgroup_count 0 : index
  %start = arith.muli %x, %sx : index
  %step = arith.muli %nx, %sx : index
  memref.copy %tied, %out : memref<?x4xf32> to memref<?x4xf32>
  "test.use"(%start, %step, %z, %scale, %m, %old) : (index, index, index, i32, index, f32) -> ()
  return
}

// -----

// No ids: no loop. Two declarations of one memory are one argument, which is read and written.

// CHECK-LABEL: func.func @once(
// CHECK-SAME: %[[A:[^:]*]]: memref<f32> {bufferization.access = "read-write", bufferization.writable = true, inplace.binding = array<i64: 0, 0>})
// CHECK-NEXT: %[[V:.*]] = memref.load %[[A]][]
// CHECK-NEXT: memref.store %[[V]], %[[A]][]
// CHECK-NEXT: return

// SIZES-LABEL: func.func @once(
// SIZES-SAME: -> (index, index) attributes {inplace.size_checks = []}
func.func @once() {
  %a = dispatch.binding set(0) binding(0) : memref<f32>
  %b = dispatch.binding set(0) binding(0) : memref<f32>
  %v = memref.load %a[] : memref<f32>
  memref.store %v, %b[] : memref<f32>
  return
}

// -----

// Byte offsets: the argument is bytes, aligned for all that is in them.

// CHECK-LABEL: func.func @offsets(
// CHECK-SAME: %[[BYTES:[^:]*]]: memref<?xi8> {bufferization.access = "read-write"
// CHECK-SAME: %[[N:[^:]*]]: index, %[[X:[^:]*]]: index)
// CHECK: %[[ALIGNED:.*]] = memref.assume_alignment %[[BYTES]], 8
// CHECK: %[[AT:.*]] = arith.muli %[[N]],
// CHECK: memref.view %[[ALIGNED]][%[[AT]]][%[[N]]] : memref<?xi8> to memref<?xf64>
// CHECK: memref.view %[[ALIGNED]][%{{.*}}][] : memref<?xi8> to memref<4xf32>
// CHECK: scf.forall

// SIZES-LABEL: func.func @offsets(
// SIZES-SAME: inplace.size_checks = [array<i64: 2, -2>, array<i64: 0, -1>, array<i64: 0, -1>]
func.func @offsets() {
  %c16 = arith.constant 16 : index
  %n = dispatch.push_constant 0 : index
  %at = arith.muli %n, %c16 : index
  %out = dispatch.binding set(0) binding(0) offset(%at) sizes(%n) : memref<?xf64>
  %in = dispatch.binding set(0) binding(0) : memref<4xf32>
  %x = dispatch.workgroup_id 0 : index
  %v = memref.load %in[%x] : memref<4xf32>
  %w = arith.extf %v : f32 to f64
  memref.store %w, %out[%x] : memref<?xf64>
  return
}

// -----

// Branches between blocks stand in a region of their own, inside the loop.

// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>
// CHECK: scf.forall (%[[X:.*]]) in
// CHECK-NEXT: scf.execute_region {
// CHECK: cf.cond_br
// CHECK: scf.yield
// CHECK: memref.store
// CHECK: scf.yield
// CHECK: return
func.func @branches() {
  %a = dispatch.binding set(0) binding(0) : memref<8xf32>
  %c3 = arith.constant 3 : index
  %x = dispatch.workgroup_id 0 : index
  %skip = arith.cmpi eq, %x, %c3 : index
  cf.cond_br %skip, ^out, ^work
^out:
  return
^work:
  %v = arith.constant 1.0 : f32
  memref.store %v, %a[%x] : memref<8xf32>
  return
}

// -----

// A workgroup's buffers: one for each trip, on the heap, in the one memory space that a host has. A division stays
// where it is as long as its divisor may be zero.

// CHECK-LABEL: func.func @local(
// CHECK-SAME: %[[A:[^:]*]]: memref<4xf32>
// CHECK-NOT: arith.divui
// CHECK: scf.forall
// CHECK: arith.divui
// CHECK: %[[L:.*]] = memref.alloc() {alignment = 16 : i64} : memref<4xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[L]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: call @helper(%[[L]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: "test.use"(%[[L]],
// CHECK: func.func private @helper(memref<4xf32>)

// Where the caller runs the workgroups the stack is theirs.

// ARGS-LABEL: func.func @local(
// ARGS: memref.alloca() {alignment = 16 : i64} : memref<4xf32>
func.func @local() {
  %a = dispatch.binding set(0) binding(0) : memref<4xf32>
  %n = dispatch.push_constant 0 : index
  %s = dispatch.workgroup_size 0 : index
  %x = dispatch.workgroup_id 0 : index
  %part = arith.divui %n, %s : index
  %l = memref.alloca() {alignment = 16} : memref<4xf32, #gpu.address_space<workgroup>>
  memref.copy %a, %l : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>
  func.call @helper(%l) : (memref<4xf32, #gpu.address_space<workgroup>>) -> ()
  %cast = memref.memory_space_cast %l : memref<4xf32, #gpu.address_space<workgroup>> to memref<4xf32>
  "test.use"(%cast, %x, %part) : (memref<4xf32>, index, index) -> ()
  return
}
func.func private @helper(memref<4xf32, #gpu.address_space<workgroup>>)

// -----

// A function without dispatch ops is left alone.

// CHECK-LABEL: func.func @plain(%{{.*}}: memref<4xf32, 3>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @plain(%a: memref<4xf32, 3>, %t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

// -----

// What is taken apart is still the same memory.

// CHECK-LABEL: func.func @taken_apart(
// CHECK-SAME: memref<4xf32> {bufferization.access = "write", bufferization.writable = true
func.func @taken_apart(%f: f32, %i: index) {
  %a = dispatch.binding set(0) binding(0) : memref<4xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<4xf32> -> memref<f32>, index, index, index
  memref.store %f, %base[] : memref<f32>
  return
}
