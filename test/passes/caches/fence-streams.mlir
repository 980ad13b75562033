// RUN: inplace-opt %s --inplace-fence-streams --split-input-file | filecheck %s

// One fence for all stores of a loop; those in the caches need none.
// CHECK-LABEL: func.func @sequential
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       vector.store
//       CHECK:       vector.store
//   CHECK-NOT:     llvm.fence
//       CHECK:     memref.store
//  CHECK-NEXT:   }
//  CHECK-NEXT:   llvm.fence seq_cst
//       CHECK:   scf.for
//   CHECK-NOT:   llvm.fence
func.func @sequential(%v: vector<16xf32>, %x: memref<2048xf32>, %s: memref<f32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c2048 = arith.constant 2048 : index
  scf.for %k = %c0 to %c2048 step %c32 {
    scf.for %i = %c0 to %c2048 step %c32 {
      vector.store %v, %x[%i] {alignment = 64 : i64, nontemporal = true} : memref<2048xf32>, vector<16xf32>
      vector.store %v, %x[%k] {alignment = 64 : i64, nontemporal = true} : memref<2048xf32>, vector<16xf32>
    }
    memref.store %f, %s[] : memref<f32>
  }
  scf.for %i = %c0 to %c2048 step %c32 {
    vector.store %v, %x[%i] : memref<2048xf32>, vector<16xf32>
  }
  return
}

// -----

// Each thread ends with a fence.
// CHECK-LABEL: func.func @threads
//       CHECK:   omp.loop_nest
//       CHECK:     scf.if
//       CHECK:       scf.for
//       CHECK:         vector.store
//  CHECK-NEXT:       }
//  CHECK-NEXT:       llvm.fence seq_cst
//  CHECK-NEXT:     }
//   CHECK-NOT:   llvm.fence
func.func @threads(%v: vector<16xf32>, %x: memref<2048xf32>, %aligned: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%t) : index = (%c0) to (%c2) step (%c1) {
        %first = arith.muli %t, %c1024 : index
        scf.if %aligned {
          scf.for %i = %c0 to %c1024 step %c16 {
            %place = arith.addi %first, %i : index
            vector.store %v, %x[%place] {alignment = 64 : i64, nontemporal = true} : memref<2048xf32>, vector<16xf32>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// Threads that begin later in the same iteration may write to the same places.
// CHECK-LABEL: func.func @threads_later
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       vector.store
//  CHECK-NEXT:     }
//  CHECK-NEXT:     llvm.fence seq_cst
//  CHECK-NEXT:     func.call @f
//   CHECK-NOT:   llvm.fence
func.func private @f(memref<2048xf32>)
func.func @threads_later(%v: vector<16xf32>, %x: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c2048 = arith.constant 2048 : index
  scf.for %k = %c0 to %c2048 step %c16 {
    scf.for %i = %c0 to %c2048 step %c16 {
      vector.store %v, %x[%i] {alignment = 64 : i64, nontemporal = true} : memref<2048xf32>, vector<16xf32>
    }
    func.call @f(%x) : (memref<2048xf32>) -> ()
  }
  return
}
