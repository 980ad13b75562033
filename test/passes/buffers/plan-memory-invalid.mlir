// RUN: inplace-opt %s --split-input-file --inplace-plan-memory=print-kept=true --verify-diagnostics
// RUN: not inplace-opt %s --split-input-file --inplace-plan-memory=alignment=48 2>&1 | filecheck %s
// RUN: not inplace-opt %s --split-input-file --inplace-plan-memory=largest=-1 2>&1 | filecheck %s --check-prefix=LARGEST

// LARGEST: error: option 'largest' of inplace-plan-memory is -1, but 0 or more is needed
// CHECK: error: option 'alignment' of inplace-plan-memory is 48, but a power of two up to 2147483648 is needed

func.func @handed_out(%n: index) -> (memref<4xf32>, memref<4xf32, strided<[2], offset: 1>>) {
  // expected-remark @+1 {{the allocation does not move into the arena: it is not freed exactly once, at the end of its block}}
  %0 = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{it is not freed exactly once, at the end of its block}}
  %1 = memref.alloc() : memref<4xf32, strided<[2], offset: 1>>
  return %0, %1 : memref<4xf32>, memref<4xf32, strided<[2], offset: 1>>
}

// -----

func.func @freed_on_one_path(%c: i1) {
  // expected-remark @+1 {{it is not freed exactly once, at the end of its block}}
  %0 = memref.alloc() : memref<4xf32>
  scf.if %c {
    memref.dealloc %0 : memref<4xf32>
  }
  return
}

// -----

func.func @types(%n: index) {
  // expected-remark @+1 {{its type has a layout or a memory space}}
  %0 = memref.alloc() : memref<4xf32, strided<[2], offset: 1>>
  // expected-remark @+1 {{its type has a layout or a memory space}}
  %1 = memref.alloc() : memref<4xf32, 1>
  // expected-remark @+1 {{the size of its elements is not known}}
  %2 = memref.alloc() : memref<4xvector<3xf32>>
  memref.dealloc %0 : memref<4xf32, strided<[2], offset: 1>>
  memref.dealloc %1 : memref<4xf32, 1>
  memref.dealloc %2 : memref<4xvector<3xf32>>
  return
}

// -----

func.func @reallocated(%n: index) -> memref<?xf32> {
  // expected-remark @+1 {{the function reallocates}}
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc(%n) : memref<?xf32> // expected-remark {{it is not freed exactly once}}
  %2 = memref.realloc %1(%n) : memref<?xf32> to memref<?xf32>
  memref.dealloc %0 : memref<4xf32>
  return %2 : memref<?xf32>
}

// -----

// Iterations that overlap in time would share its bytes.
func.func @parallel(%n: index, %f: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-remark @+1 {{it lies in an op whose regions may run in parallel}}
    %0 = memref.alloc() : memref<4xf32>
    linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
    memref.dealloc %0 : memref<4xf32>
  }
  return
}

// -----

// The order of ops is not that of time: ^bb2 may run before ^bb1.
func.func @branches(%n: index, %c: i1) {
  // expected-remark @+1 {{it lies in a region with several blocks}}
  %0 = memref.alloc() : memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  return
}

// -----

// The branch that is not taken might need terabytes.
func.func @not_needed(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  scf.if %c {
    // expected-remark @+1 {{its size is dynamic, and it may not be needed in each run of the function}}
    %0 = memref.alloc(%n) : memref<?xf32>
    memref.dealloc %0 : memref<?xf32>
  }
  return
}

// -----

func.func @read_in_between(%s: memref<index>, %n: index) {
  %0 = memref.alloc(%n) : memref<?xf32>
  %1 = memref.load %s[] : memref<index>
  // expected-remark @+1 {{its size is not known where the arena is allocated}}
  %2 = memref.alloc(%1) : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  memref.dealloc %2 : memref<?xf32>
  return
}
