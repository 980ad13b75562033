// RUN: inplace-opt %s --inplace-serialize-reductions --split-input-file | filecheck %s

// CHECK-LABEL: func.func @sum
//  CHECK-SAME:   %[[A:.*]]: memref<8xf32>, %[[Z:.*]]: f32
//       CHECK:   %[[R:.*]] = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args(%[[P:.*]] = %[[Z]]) -> (f32) {
//  CHECK-NEXT:     %[[X:.*]] = memref.load %[[A]][%[[I]]]
//  CHECK-NEXT:     %[[S:.*]] = arith.addf %[[P]], %[[X]] : f32
//  CHECK-NEXT:     scf.yield %[[S]] : f32
//  CHECK-NEXT:   }
//  CHECK-NEXT:   return %[[R]]
func.func @sum(%a: memref<8xf32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// Two dimensions, the last one fastest; two results, the second of which keeps the last value.
// CHECK-LABEL: func.func @two
//       CHECK:   %[[R:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c8 step %c2 iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
//  CHECK-NEXT:     %[[S:.*]]:2 = scf.for %[[J:.*]] = %c2 to %c8 step %c1 iter_args(%[[T:.*]] = %[[P]], %{{.*}} = %[[Q]])
//  CHECK-NEXT:       %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
//  CHECK-NEXT:       %[[M:.*]] = arith.subf %[[T]], %[[X]] : f32
//  CHECK-NEXT:       scf.yield %[[M]], %[[J]] : f32, index
//       CHECK:     scf.yield %[[S]]#0, %[[S]]#1 : f32, index
//       CHECK:   return %[[R]]#0, %[[R]]#1
func.func @two(%a: memref<8x8xf32>, %z: f32) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.parallel (%i, %j) = (%c0, %c2) to (%c8, %c8) step (%c2, %c1) init (%z, %c0) -> (f32, index) {
    %x = memref.load %a[%i, %j] : memref<8x8xf32>
    scf.reduce(%x, %j : f32, index) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.subf %p, %q : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%p: index, %q: index):
      scf.reduce.return %q : index
    }
  }
  return %r#0, %r#1 : f32, index
}

// -----

// What does not reduce stays parallel, around and inside.
// CHECK-LABEL: func.func @nested
//       CHECK:   scf.parallel (%[[I:.*]]) =
//       CHECK:     scf.for %[[J:.*]] = %{{.*}} iter_args(
//       CHECK:       scf.parallel (%[[K:.*]]) =
//       CHECK:         memref.store %{{.*}}, %{{.*}}[%[[I]], %[[K]]]
//       CHECK:       scf.for
//       CHECK:       scf.yield
//       CHECK:     memref.store
func.func @nested(%a: memref<8x8xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %r = scf.parallel (%j) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
      scf.parallel (%k) = (%c0) to (%c8) step (%c1) {
        memref.store %z, %a[%i, %k] : memref<8x8xf32>
      }
      %y = scf.parallel (%k) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
        %x = memref.load %a[%j, %k] : memref<8x8xf32>
        scf.reduce(%x : f32) {
        ^bb0(%p: f32, %q: f32):
          %s = arith.addf %p, %q : f32
          scf.reduce.return %s : f32
        }
      }
      scf.reduce(%y : f32) {
      ^bb0(%p: f32, %q: f32):
        %s = arith.mulf %p, %q : f32
        scf.reduce.return %s : f32
      }
    }
    memref.store %r, %a[%i, %i] : memref<8x8xf32>
  }
  return
}
