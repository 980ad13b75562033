// RUN: inplace-opt %s --split-input-file --allow-unregistered-dialect --inplace-hoist-allocations=print-kept=true --verify-diagnostics

// The next iteration gets it.
func.func @yielded(%n: index, %f: f32, %m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %m) -> memref<4xf32> {
    // expected-remark @+1 {{the allocation stays in its loop: 'scf.yield' may keep it for longer than the iteration}}
    %b = memref.alloc() : memref<4xf32>
    linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
    // expected-note @+1 {{this is 'scf.yield'}}
    scf.yield %b : memref<4xf32>
  }
  %y = memref.load %r[%c0] : memref<4xf32>
  return %y : f32
}

// -----

func.func @changing_size(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{stays in its loop: its size changes from iteration to iteration}}
    %b = memref.alloc(%i) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// -----

func.func @size_from_memory(%n: index, %f: f32, %m: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{this is 'memref.load'}}
    %s = memref.load %m[] : memref<index>
    // expected-remark @+1 {{stays in its loop: its size is computed in the loop by 'memref.load', which cannot move}}
    %b = memref.alloc(%s) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// -----

func.func @division(%n: index, %k: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{this is 'arith.divsi'}}
    %s = arith.divsi %n, %k : index
    // expected-remark @+1 {{stays in its loop: its size is computed in the loop by 'arith.divsi', which cannot move}}
    %b = memref.alloc(%s) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  return
}

// -----

func.func @unknown(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{stays in its loop: 'test.keep' may keep it for longer than the iteration}}
    %b = memref.alloc() : memref<4xf32>
    // expected-note @+1 {{this is 'test.keep'}}
    "test.keep"(%b) : (memref<4xf32>) -> ()
  }
  return
}

// -----

func.func private @same(%m: memref<4xf32>) -> memref<4xf32>

func.func @called(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{stays in its loop: 'func.call' may keep it for longer than the iteration}}
    %b = memref.alloc() : memref<4xf32>
    // expected-note @+1 {{this is 'func.call'}}
    %r = func.call @same(%b) : (memref<4xf32>) -> memref<4xf32>
  }
  return
}

// -----

// Used by something that may run later.
func.func @later(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{stays in its loop: 'memref.store' may keep it for longer than the iteration}}
    %b = memref.alloc() : memref<4xf32>
    "test.later"() ({
      // expected-note @+1 {{this is 'memref.store'}}
      memref.store %f, %b[%c0] : memref<4xf32>
      "test.end"() : () -> ()
    }) : () -> ()
  }
  return
}

// -----

func.func @freed_sometimes(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{stays in its loop: it is not freed exactly once at the end of each iteration}}
    %b = memref.alloc() : memref<4xf32>
    scf.if %c {
      // expected-note @+1 {{this is 'memref.dealloc'}}
      memref.dealloc %b : memref<4xf32>
    }
  }
  return
}
