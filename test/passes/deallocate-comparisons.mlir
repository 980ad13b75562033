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
