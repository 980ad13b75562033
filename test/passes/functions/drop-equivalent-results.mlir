// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-drop-equivalent-results --canonicalize | filecheck %s
// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-drop-equivalent-results=modify-public-functions=false | filecheck %s --check-prefix=PRIVATE

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

// A call that never returns may as well return anything; nothing is concluded from that alone.
// CHECK-LABEL: func.func private @endless
// CHECK-SAME:    -> memref<4xf32>
func.func private @endless(%a: memref<4xf32>) -> memref<4xf32> {
  %0 = call @endless(%a) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Recursion that ends by returning the argument returns it from every depth.
// CHECK-LABEL: func.func private @even(%{{.*}}: memref<4xf32>, %{{.*}}: index) attributes
// CHECK:         call @odd({{.*}}) : (memref<4xf32>, index) -> ()
func.func private @even(%a: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %n, %c0 : index
  %0 = scf.if %p -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %1 = func.call @odd(%a, %m) : (memref<4xf32>, index) -> memref<4xf32>
    scf.yield %1 : memref<4xf32>
  }
  return %0 : memref<4xf32>
}

// CHECK-LABEL: func.func private @odd(%{{.*}}: memref<4xf32>, %{{.*}}: index) attributes
// CHECK:         call @even({{.*}}) : (memref<4xf32>, index) -> ()
func.func private @odd(%a: memref<4xf32>, %n: index) -> memref<4xf32> {
  %0 = call @even(%a, %n) : (memref<4xf32>, index) -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Which argument comes back depends on the depth.
// CHECK-LABEL: func.func private @swaps
// CHECK-SAME:    -> (memref<4xf32>, memref<4xf32>) {
func.func private @swaps(%a: memref<4xf32>, %b: memref<4xf32>, %p: i1) -> (memref<4xf32>, memref<4xf32>) {
  %0:2 = scf.if %p -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %a, %b : memref<4xf32>, memref<4xf32>
  } else {
    %1:2 = func.call @swaps(%b, %a, %p) : (memref<4xf32>, memref<4xf32>, i1) -> (memref<4xf32>, memref<4xf32>)
    scf.yield %1#0, %1#1 : memref<4xf32>, memref<4xf32>
  }
  return %0#0, %0#1 : memref<4xf32>, memref<4xf32>
}

// -----

// A branch that yields another buffer in one of its regions.
// CHECK-LABEL: func.func private @one_region_only
// CHECK-SAME:    -> memref<4xf32> {
func.func private @one_region_only(%a: memref<4xf32>, %p: i1) -> memref<4xf32> {
  %0 = scf.if %p -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    %1 = memref.alloc() : memref<4xf32>
    scf.yield %1 : memref<4xf32>
  }
  return %0 : memref<4xf32>
}

// -----

// A symbol in an attribute may be a caller that nobody knows.
// CHECK-LABEL: func.func private @named
// CHECK-SAME:    -> memref<4xf32> {
func.func private @named(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}

"test.table"() {entries = [@named]} : () -> ()

// -----

// PRIVATE-LABEL: func.func @visible
// PRIVATE-SAME:    -> memref<4xf32> {
// PRIVATE:         return %{{.*}} : memref<4xf32>
// PRIVATE-LABEL: func.func private @hidden
// PRIVATE-SAME:    (%{{.*}}: memref<4xf32>) attributes
// CHECK-LABEL:   func.func @visible
// CHECK-SAME:      (%{{.*}}: memref<4xf32>) attributes
func.func @visible(%a: memref<4xf32>) -> memref<4xf32> {
  %0 = call @hidden(%a) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}

func.func private @hidden(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
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
