// RUN: inplace-opt %s --inplace-balance-threads='threads=2 chunks=4' --split-input-file | filecheck %s

// Eight chunks of eight iterations.
// CHECK-LABEL: func.func @static
//       CHECK:   %[[CHUNK:.*]] = arith.constant 8 : index
//       CHECK:   omp.wsloop nowait schedule(dynamic = %[[CHUNK]] : index, nonmonotonic) {
//  CHECK-NEXT:     omp.loop_nest (%[[I:.*]]) : index = (%c0) to (%c64) step (%c1) {
//  CHECK-NEXT:       memref.store %{{.*}}, %arg0[%[[I]]]
func.func @static(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// Two loops of 5 and 3 iterations are 15, fewer than two for each chunk.
// CHECK-LABEL: func.func @two_loops
//       CHECK:   omp.parallel
//       CHECK:   %[[CHUNK:.*]] = arith.constant 1 : index
//       CHECK:   omp.wsloop nowait schedule(dynamic = %[[CHUNK]] : index, nonmonotonic) {
func.func @two_loops(%a: memref<5x6xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i, %j) : index = (%c0, %c1) to (%c5, %c6) step (%c1, %c2) {
        memref.store %x, %a[%i, %j] : memref<5x6xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// The chunk of a dynamic number of iterations is not empty.
// CHECK-LABEL: func.func @dynamic
//       CHECK:   %[[TRIPS:.*]] = arith.ceildivui %arg1, %arg2 : index
//       CHECK:   %[[PART:.*]] = arith.divui %[[TRIPS]], %c8
//       CHECK:   %[[CHUNK:.*]] = arith.maxui %[[PART]], %c1
//       CHECK:   omp.wsloop nowait schedule(dynamic = %[[CHUNK]] : index, nonmonotonic) {
func.func @dynamic(%a: memref<?xf32>, %n: index, %step: index, %x: f32) {
  %c0 = arith.constant 0 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%step) {
        memref.store %x, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// What says how it is scheduled stays.
// CHECK-LABEL: func.func @scheduled
//       CHECK:   omp.wsloop schedule(static) {
func.func @scheduled(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// A loop with code after it in its region keeps its barrier.
// CHECK-LABEL: func.func @not_alone
//       CHECK:   omp.wsloop {
func.func @not_alone(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    memref.store %x, %a[%c0] : memref<64xf32>
    omp.terminator
  }
  return
}
