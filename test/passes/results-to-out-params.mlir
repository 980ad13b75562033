// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params | filecheck %s

// CHECK-LABEL: func.func @fresh
// CHECK-SAME:    (%[[F:.*]]: f32, %[[OUT:.*]]: memref<4xf32> {inplace.alignment = 64 : i64, inplace.out_result = 0 : i64})
// CHECK-SAME:    inplace.result_arguments = array<i64: 1>
func.func @fresh(%f: f32) -> memref<4xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.fill ins(%[[F]] : f32) outs(%[[OUT]] : memref<4xf32>)
  // CHECK: return
  %0 = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}

// -----

// Through a cast; other results stay, in order.
// CHECK-LABEL: func.func @several
// CHECK-SAME:    (%{{.*}}: index, %{{.*}}: memref<i8> {inplace.out_result = 1 : i64}, %{{.*}}: memref<4xf32> {inplace.out_result = 3 : i64})
// CHECK-SAME:    -> (index, memref<?xf32>)
// CHECK-SAME:    inplace.result_arguments = array<i64: -1, 1, -1, 2>
func.func @several(%n: index) -> (index, memref<i8>, memref<?xf32>, memref<?xf32>) {
  %0 = memref.alloc() : memref<i8>
  %1 = memref.alloc(%n) : memref<?xf32>
  %2 = memref.alloc() : memref<4xf32>
  %3 = memref.cast %2 : memref<4xf32> to memref<?xf32>
  // CHECK: return %{{.*}}, %{{.*}} : index, memref<?xf32>
  return %n, %0, %1, %3 : index, memref<i8>, memref<?xf32>, memref<?xf32>
}

// -----

// One buffer returned twice can be provided once; the second result still has to be made.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:    (%[[OUT:.*]]: memref<4xf32> {inplace.out_result = 0 : i64}) -> memref<4xf32>
func.func @twice() -> (memref<4xf32>, memref<4xf32>) {
  // CHECK: return %[[OUT]]
  %0 = memref.alloc() : memref<4xf32>
  return %0, %0 : memref<4xf32>, memref<4xf32>
}

// -----

// Works on top of a result that has already left.
// CHECK-LABEL: func.func @composed
// CHECK-SAME:    inplace.out_result = 2 : i64
// CHECK-SAME:    inplace.result_arguments = array<i64: 0, -1, 1>
func.func @composed(%a: memref<4xf32>) -> (f32, memref<4xf32>)
    attributes {inplace.result_arguments = array<i64: 0, -1, -1>} {
  %f = arith.constant 1.0 : f32
  %0 = memref.alloc() : memref<4xf32>
  return %f, %0 : f32, memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic_size
// CHECK-SAME:    -> memref<?xf32> {
func.func @dynamic_size(%n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @a_view
// CHECK-SAME:    -> memref<2xf32
func.func @a_view() -> memref<2xf32, strided<[1], offset: 1>> {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.subview %0[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  return %1 : memref<2xf32, strided<[1], offset: 1>>
}

// -----

// CHECK-LABEL: func.func @different_buffers
// CHECK-SAME:    -> memref<4xf32> {
func.func @different_buffers(%c: i1) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^one, ^two
^one:
  return %0 : memref<4xf32>
^two:
  %1 = memref.alloc() : memref<4xf32>
  return %1 : memref<4xf32>
}

// -----

// An allocation in another block might run more than once, or not at all.
// CHECK-LABEL: func.func @not_in_the_entry_block
// CHECK-SAME:    -> memref<4xf32> {
func.func @not_in_the_entry_block() -> memref<4xf32> {
  cf.br ^next
^next:
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Its callers inside the module would have to be changed.
// CHECK-LABEL: func.func @called
// CHECK-SAME:    -> memref<4xf32> {
func.func @called() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME:    -> memref<4xf32> {
func.func @caller() -> memref<4xf32> {
  %0 = call @called() : () -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func private @not_an_entry
// CHECK-SAME:    -> memref<4xf32> {
func.func private @not_an_entry() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @freed
// CHECK-SAME:    -> memref<4xf32> {
func.func @freed() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @other_memory_space
// CHECK-SAME:    -> memref<4xf32, 3> {
func.func @other_memory_space() -> memref<4xf32, 3> {
  %0 = memref.alloc() : memref<4xf32, 3>
  return %0 : memref<4xf32, 3>
}
