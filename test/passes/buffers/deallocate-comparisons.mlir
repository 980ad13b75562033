// RUN: inplace-opt %s --inplace-deallocate | filecheck %s
// Nothing is folded here: what deallocation compares is seen as it is written.

// What is returned is surely kept, be it cloned or not: nobody asks whether to free it.
// CHECK-LABEL: func.func @returned_if_owned(
// CHECK-SAME:    %[[A:.*]]: memref<4xf32>
// CHECK:         %[[R:.*]] = scf.if
// CHECK:         arith.cmpi eq
// CHECK-NEXT:    %[[C:.*]] = scf.if
// CHECK-NEXT:      bufferization.clone %[[R]]
// CHECK-NOT:     arith.cmpi
// CHECK-NOT:     memref.dealloc
// CHECK:         return %[[C]]
func.func @returned_if_owned(%a: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// CHECK-LABEL: func.func @not_returned_if_owned(
// CHECK:         memref.load
// CHECK:         %[[SAME:.*]] = arith.cmpi eq
// CHECK:         arith.xori %[[SAME]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      memref.dealloc
// CHECK:         return
func.func @not_returned_if_owned(%a: memref<4xf32>, %c: i1, %i: index) -> f32 {
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  %v = memref.load %r[%i] : memref<4xf32>
  return %v : f32
}

// What the body allocates is not what it was given, which is held until then: only the initial buffer is asked about.
// CHECK-LABEL: func.func @yields_what_it_allocates(
// CHECK-SAME:    %[[A:.*]]: memref<4xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[U:.*]] = %[[A]])
// CHECK:           %[[NEW:.*]] = memref.alloc()
// CHECK:           %[[PU:.*]] = memref.extract_aligned_pointer_as_index %[[U]]
// CHECK-NEXT:      %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-NEXT:      %[[SAME:.*]] = arith.cmpi eq, %[[PU]], %[[PA]]
// CHECK-NOT:       arith.cmpi
// CHECK:           scf.if
// CHECK-NEXT:        memref.dealloc %[[U]]
// CHECK:           scf.yield %[[NEW]]
func.func @yields_what_it_allocates(%a: memref<4xf32>, %n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a) -> memref<4xf32> {
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%u : memref<4xf32>) outs(%b : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  %v = memref.load %r[%i] : memref<4xf32>
  return %v : f32
}

// Whether the body was given what it yields is known at run time only.
// CHECK-LABEL: func.func @yields_one_of_two(
// CHECK:         scf.for
// CHECK:           arith.cmpi eq
// CHECK:           arith.cmpi eq
// CHECK:           memref.dealloc
// CHECK:           scf.yield
func.func @yields_one_of_two(%a: memref<4xf32>, %n: index, %p: i1, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a) -> memref<4xf32> {
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%u : memref<4xf32>) outs(%b : memref<4xf32>)
    %s = arith.select %p, %b, %u : memref<4xf32>
    scf.yield %s : memref<4xf32>
  }
  %v = memref.load %r[%i] : memref<4xf32>
  return %v : f32
}
