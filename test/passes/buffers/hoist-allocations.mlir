// RUN: inplace-opt %s --split-input-file --inplace-hoist-allocations | filecheck %s

// Out of both loops, with the deallocation.
// CHECK-LABEL: func.func @nest
func.func @nest(%n: index, %f: f32, %out: memref<4xf32>) {
  // CHECK: %[[B:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: linalg.fill {{.*}} outs(%[[B]]
  // CHECK-NEXT: memref.copy %[[B]]
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK-NEXT: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %b = memref.alloc() {alignment = 64} : memref<4xf32>
      linalg.fill ins(%f : f32) outs(%b : memref<4xf32>)
      memref.copy %b, %out : memref<4xf32> to memref<4xf32>
      memref.dealloc %b : memref<4xf32>
    }
  }
  return
}

// -----

// The size moves, too. It might be negative if the loop does not run: it is raised to 0.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[N:.*]]: index, %[[M:.*]]: index
func.func @dynamic(%n: index, %m: index, %f: f32) {
  // CHECK: %[[SIZE:.*]] = arith.subi %[[N]], %[[M]]
  // CHECK: %[[ZERO:.*]] = arith.constant 0
  // CHECK: %[[MAX:.*]] = arith.maxsi %[[SIZE]], %[[ZERO]]
  // CHECK: memref.alloc(%[[MAX]])
  // CHECK-NEXT: scf.for
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %size = arith.subi %n, %m : index
    %b = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// -----

// A loop that surely runs, and a size that is one of another buffer, need no such care.
// CHECK-LABEL: func.func @surely_runs
// CHECK-NOT: arith.maxsi
// CHECK: memref.alloc
// CHECK-NEXT: scf.for
// CHECK-NOT: arith.maxsi
func.func @surely_runs(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// Without signs the bound -1 is a large one, so the loop does not run.
// CHECK-LABEL: func.func @unsigned_loop
// CHECK: arith.maxsi
// CHECK: memref.alloc
// CHECK-NEXT: scf.for unsigned
func.func @unsigned_loop(%n: index, %f: f32) {
  %lower = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %lower to %one step %one : i32 {
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// CHECK-LABEL: func.func @size_of_another
// CHECK-NOT: arith.maxsi
// CHECK: memref.dim
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: scf.for
// CHECK-NOT: arith.maxsi
func.func @size_of_another(%n: index, %f: f32, %a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %d = memref.dim %a, %c0 : memref<?xf32>
    %b = memref.alloc(%d) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// -----

// Each run of a parallel loop needs its own: only out of the loop inside.
// CHECK-LABEL: func.func @parallel
// CHECK: scf.forall
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: scf.for
func.func @parallel(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%t) in (%n) {
    scf.for %i = %c0 to %n step %c1 {
      %b = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f : f32) outs(%b : memref<4xf32>)
    }
  }
  return
}

// -----

// Through views; out of a loop on a condition.
// CHECK-LABEL: func.func @views
// CHECK: memref.alloc
// CHECK-NEXT: scf.while
func.func @views(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %b = memref.alloc() : memref<4xf32>
    %v = memref.subview %b[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
    linalg.fill ins(%f : f32) outs(%v : memref<2xf32, strided<[1], offset: 1>>)
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}
