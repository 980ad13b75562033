// RUN: inplace-opt %s --split-input-file --inplace-deallocate --canonicalize --cse | filecheck %s

// After the last use, not at the end.
// CHECK-LABEL: func.func @last_use
func.func @last_use(%i: index) -> f32 {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: %[[X:.*]] = memref.load %[[A]]
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: math.exp %[[X]]
  %f = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  %x = memref.load %a[%i] : memref<4xf32>
  %y = math.exp %x : f32
  return %y : f32
}

// -----

// A use through a view, inside a loop: freed after the loop.
// CHECK-LABEL: func.func @view_in_a_loop
func.func @view_in_a_loop(%n: index, %f: f32, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = memref.alloc
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %a[%i] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.store %f, %v[%c0] : memref<1xf32, strided<[1], offset: ?>>
    memref.copy %v, %out : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32>
  }
  // CHECK: }
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: return
  return
}

// -----

// What is allocated in a loop is freed in it.
// CHECK-LABEL: func.func @in_a_loop
func.func @in_a_loop(%n: index, %f: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[A:.*]] = memref.alloc
    // CHECK: memref.copy
    // CHECK-NEXT: memref.dealloc %[[A]]
    // CHECK-NEXT: }
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
    memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// Given away: no free, no clone.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    return %[[A]]
func.func @returned() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @returned_argument
// CHECK-SAME:    %[[A:.*]]: memref<4xf32>
// CHECK-NEXT:    %[[B:.*]] = bufferization.clone %[[A]]
// CHECK-NEXT:    return %[[B]]
func.func @returned_argument(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}

// -----

// Each result is a buffer of its own.
// CHECK-LABEL: func.func @returned_twice
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK:         %[[B:.*]] = bufferization.clone %[[A]]
// CHECK:         return %[[A]], %[[B]]
func.func @returned_twice() -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %a, %a : memref<4xf32>, memref<4xf32>
}

// -----

// It depends on the run whether the result is the argument: a clone if it is, a free of the other buffer.
// CHECK-LABEL: func.func @maybe_argument
// CHECK-SAME:    %[[C:.*]]: i1, %[[A:.*]]: memref<4xf32>
func.func @maybe_argument(%c: i1, %a: memref<4xf32>) -> memref<4xf32> {
  // CHECK: %[[B:.*]] = memref.alloc()
  // CHECK: %[[R:.*]] = arith.select %[[C]], %[[A]], %[[B]]
  // CHECK: %[[PR:.*]] = memref.extract_aligned_pointer_as_index %[[R]]
  // CHECK: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[PR]], %[[PA]]
  // CHECK: %[[OWN:.*]] = scf.if %[[SAME]]
  // CHECK: bufferization.clone %[[R]]
  // CHECK: %[[PB:.*]] = memref.extract_aligned_pointer_as_index %[[B]]
  // CHECK: arith.cmpi {{eq|ne}}, %[[PB]], %[[PR]]
  // CHECK: scf.if
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK: return %[[OWN]]
  %b = memref.alloc() : memref<4xf32>
  %r = arith.select %c, %a, %b : memref<4xf32>
  return %r : memref<4xf32>
}

// -----

// Two buffers that a loop swaps are both freed after it, without asking which is which.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%n: index, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = memref.alloc
  // CHECK: %[[B:.*]] = memref.alloc
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  // CHECK: scf.for
  // CHECK-NOT: memref.dealloc
  // CHECK: scf.yield
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<4xf32>, memref<4xf32>) {
    linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
    scf.yield %y, %x : memref<4xf32>, memref<4xf32>
  }
  // CHECK: %[[V:.*]] = memref.load
  // CHECK-DAG: memref.dealloc %[[A]]
  // CHECK-DAG: memref.dealloc %[[B]]
  // CHECK: return %[[V]]
  %v = memref.load %r#0[%c0] : memref<4xf32>
  return %v : f32
}

// -----

// A loop that makes a new buffer each time frees the one before, unless it is the first one.
// CHECK-LABEL: func.func @renewed
// CHECK-SAME:    %{{.*}}: index, %[[A:.*]]: memref<4xf32>
func.func @renewed(%n: index, %a: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]])
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> memref<4xf32> {
    // CHECK: %[[B:.*]] = memref.alloc
    // CHECK: scf.if
    // CHECK-NEXT: memref.dealloc %[[X]]
    // CHECK: scf.yield %[[B]]
    %b = memref.alloc() : memref<4xf32>
    linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  // CHECK: memref.load
  // CHECK: scf.if
  // CHECK-NEXT: memref.dealloc
  %v = memref.load %r[%c0] : memref<4xf32>
  return %v : f32
}

// -----

// What a call returns belongs to the caller.
// CHECK-LABEL: func.func @call
func.func private @make() -> memref<4xf32>
func.func @call(%i: index) -> f32 {
  // CHECK: %[[A:.*]] = call @make
  // CHECK-NEXT: memref.load %[[A]]
  // CHECK-NEXT: memref.dealloc %[[A]]
  %a = call @make() : () -> memref<4xf32>
  %x = memref.load %a[%i] : memref<4xf32>
  return %x : f32
}

// -----

// Freed by the program itself: left alone, others are freed.
// CHECK-LABEL: func.func @mixed
func.func @mixed(%i: index, %f: f32) -> f32 {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: memref.load %[[B]]
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK: memref.dealloc %[[A]]
  // CHECK-NOT: dealloc
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %f, %a[%i] : memref<4xf32>
  memref.store %f, %b[%i] : memref<8xf32>
  %x = memref.load %b[%i] : memref<8xf32>
  %y = memref.load %a[%i] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// -----

// An address that is taken may be used at any later time.
// CHECK-LABEL: func.func @address_taken
func.func @address_taken(%f: f32) -> index {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = memref.alloc
  // CHECK: math.exp
  // CHECK: memref.dealloc %[[A]]
  // CHECK-NEXT: return
  %a = memref.alloc() : memref<4xf32>
  memref.store %f, %a[%c0] : memref<4xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  %e = math.exp %f : f32
  %i = arith.fptosi %e : f32 to i64
  %j = arith.index_cast %i : i64 to index
  %k = arith.addi %p, %j : index
  return %k : index
}

// -----

// The way decides which buffer is freed: handed over to the block argument, or dead on one edge.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%c: i1, %d: i1, %f: f32, %i: index) -> f32 {
  cf.cond_br %c, ^one, ^two
^one:
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: linalg.fill {{.*}} outs(%[[A]]
  // CHECK: cf.cond_br %{{.*}}, ^[[JOIN:.*]](%[[A]] : memref<4xf32>), ^[[EDGE:[a-z0-9]*]]
  %0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  cf.cond_br %d, ^join(%0 : memref<4xf32>), ^end
^two:
  // CHECK: %[[B:.*]] = memref.alloc()
  // CHECK: cf.br ^[[JOIN]](%[[B]] : memref<4xf32>)
  %1 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%1 : memref<4xf32>)
  cf.br ^join(%1 : memref<4xf32>)
^join(%x: memref<4xf32>):
  // CHECK: ^[[JOIN]](%[[X:.*]]: memref<4xf32>):
  // CHECK-NEXT: %[[Y:.*]] = memref.load %[[X]]
  // CHECK-NEXT: memref.dealloc %[[X]]
  // CHECK-NEXT: return %[[Y]]
  %y = memref.load %x[%i] : memref<4xf32>
  return %y : f32
^end:
  // CHECK: ^[[EDGE]]:
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: return
  return %f : f32
}

// -----

// A loop of blocks: each run is handed the buffer of the one before, and frees it behind its last use.
// CHECK-LABEL: func.func @loop_of_blocks
func.func @loop_of_blocks(%a: memref<4xf32>, %n: index) -> f32 {
  // CHECK: %[[FIRST:.*]] = memref.alloc()
  // CHECK: cf.br ^[[HEAD:.*]](%{{.*}}, %[[FIRST]] : index, memref<4xf32>)
  // CHECK: ^[[HEAD]](%{{.*}}: index, %[[X:.*]]: memref<4xf32>):
  // CHECK: %[[NEW:.*]] = memref.alloc()
  // CHECK-NEXT: linalg.add {{.*}} outs(%[[NEW]]
  // CHECK-NEXT: memref.dealloc %[[X]]
  // CHECK: cf.br ^[[HEAD]](%{{.*}}, %[[NEW]] : index, memref<4xf32>)
  // CHECK: memref.load %[[X]]
  // CHECK-NEXT: memref.dealloc %[[X]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() : memref<4xf32>
  memref.copy %a, %0 : memref<4xf32> to memref<4xf32>
  cf.br ^head(%c0, %0 : index, memref<4xf32>)
^head(%i: index, %x: memref<4xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %new = memref.alloc() : memref<4xf32>
  linalg.add ins(%x, %a : memref<4xf32>, memref<4xf32>) outs(%new : memref<4xf32>)
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next, %new : index, memref<4xf32>)
^end:
  %y = memref.load %x[%c1] : memref<4xf32>
  return %y : f32
}

// -----

// A loop on a condition: the second region makes a new buffer and frees the one that it was given, unless it is %m.
// CHECK-LABEL: func.func @loop_on_a_condition
// CHECK-SAME:    %[[M:[a-z0-9]*]]: memref<4xf32>
func.func @loop_on_a_condition(%m: memref<4xf32>, %n: index) -> f32 {
  // CHECK: scf.while
  // CHECK: } do {
  // CHECK: ^bb0(%[[X:.*]]: memref<4xf32>, %{{.*}}: index):
  // CHECK: memref.alloc()
  // CHECK: scf.if
  // CHECK-NEXT: memref.dealloc %[[X]]
  // CHECK: scf.yield
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %k = scf.while (%x = %m, %i = %c0) : (memref<4xf32>, index) -> (memref<4xf32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %x, %i : memref<4xf32>, index
  } do {
  ^bb0(%x: memref<4xf32>, %i: index):
    %new = memref.alloc() : memref<4xf32>
    linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%new : memref<4xf32>)
    %next = arith.addi %i, %c1 : index
    scf.yield %new, %next : memref<4xf32>, index
  }
  %y = memref.load %r[%c1] : memref<4xf32>
  return %y : f32
}
