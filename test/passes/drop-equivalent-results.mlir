// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-drop-equivalent-results --canonicalize | filecheck %s

// CHECK-LABEL: func.func @one_of_two
// CHECK-SAME:    (%{{.*}}: memref<4xf32>, %[[I:.*]]: index) -> index
// CHECK-SAME:    inplace.result_arguments = array<i64: 0, -1>
func.func @one_of_two(%a: memref<4xf32>, %i: index) -> (memref<4xf32>, index) {
  // CHECK: return %[[I]] : index
  return %a, %i : memref<4xf32>, index
}

// -----

// Through a cast, and on both returns.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    inplace.result_arguments = array<i64: 1>
func.func @branches(%c: i1, %a: memref<4xf32>) -> memref<?xf32> {
  %0 = memref.cast %a : memref<4xf32> to memref<?xf32>
  cf.cond_br %c, ^one, ^two
^one:
  // CHECK: return
  // CHECK-NOT: memref
  return %0 : memref<?xf32>
^two:
  %1 = memref.cast %a : memref<4xf32> to memref<?xf32>
  return %1 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @different_arguments
// CHECK-SAME:    -> memref<4xf32> {
func.func @different_arguments(%c: i1, %a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
  "test.keep"() : () -> ()
  cf.cond_br %c, ^one, ^two
^one:
  "test.one"() : () -> ()
  return %a : memref<4xf32>
^two:
  return %b : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @a_view_is_not_the_buffer
// CHECK-SAME:    -> memref<2xf32
func.func @a_view_is_not_the_buffer(%a: memref<4xf32>) -> memref<2xf32, strided<[1]>> {
  %0 = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  return %0 : memref<2xf32, strided<[1]>>
}

// -----

// CHECK-LABEL: func.func @read_only
// CHECK-SAME:    -> memref<4xf32> {
func.func @read_only(%a: memref<4xf32> {inplace.read_only}) -> memref<4xf32> {
  return %a : memref<4xf32>
}

// -----

// Callers use the operand they passed; chains of calls are followed.
// CHECK-LABEL: func.func private @inner(%{{.*}}: index, %{{.*}}: memref<?xf32>) attributes
func.func private @inner(%i: index, %a: memref<?xf32>) -> memref<?xf32> {
  %f = arith.constant 1.0 : f32
  memref.store %f, %a[%i] : memref<?xf32>
  return %a : memref<?xf32>
}

// CHECK-LABEL: func.func @outer
// CHECK-SAME:    (%[[I:.*]]: index, %[[A:.*]]: memref<4xf32>) -> f32
// CHECK-SAME:    inplace.result_arguments = array<i64: -1, 1>
func.func @outer(%i: index, %a: memref<4xf32>) -> (f32, memref<?xf32>) {
  // CHECK: %[[CAST:.*]] = memref.cast %[[A]]
  // CHECK: call @inner(%[[I]], %[[CAST]]) : (index, memref<?xf32>) -> ()
  // CHECK: %[[X:.*]] = memref.load %[[A]][%[[I]]]
  // CHECK: return %[[X]] : f32
  %0 = memref.cast %a : memref<4xf32> to memref<?xf32>
  %1 = call @inner(%i, %0) : (index, memref<?xf32>) -> memref<?xf32>
  %2 = memref.load %1[%i] : memref<?xf32>
  return %2, %1 : f32, memref<?xf32>
}

// -----

// Recursion counts as unknown.
// CHECK-LABEL: func.func private @recursive
// CHECK-SAME:    -> memref<4xf32>
func.func private @recursive(%a: memref<4xf32>) -> memref<4xf32> {
  %0 = call @recursive(%a) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Not all callers are known.
// CHECK-LABEL: func.func private @address_taken
// CHECK-SAME:    -> memref<4xf32> {
func.func private @address_taken(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}

func.func @takes_the_address() -> ((memref<4xf32>) -> memref<4xf32>) {
  %0 = constant @address_taken : (memref<4xf32>) -> memref<4xf32>
  return %0 : (memref<4xf32>) -> memref<4xf32>
}

// -----

// CHECK: func.func private @external(memref<4xf32>) -> memref<4xf32>
func.func private @external(%a: memref<4xf32>) -> memref<4xf32>
