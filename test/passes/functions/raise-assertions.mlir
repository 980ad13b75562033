// RUN: inplace-opt %s --split-input-file --inplace-raise-assertions | filecheck %s

// Each message once.
// CHECK:     llvm.mlir.global internal constant @inplace_message_1("{{.*}}:[[#]]:3: other\00")
// CHECK:     llvm.mlir.global internal constant @inplace_message_0("{{.*}}:[[#]]:3: not \22ok\22\00")
// CHECK-LABEL: func.func private @checked
//  CHECK-SAME: (%[[P:.*]]: i1, %[[M:.*]]: memref<4xf32>)
//       CHECK:   %[[FIRST:.*]] = llvm.mlir.addressof @inplace_message_0 : !llvm.ptr
//       CHECK:   call @inplace_require(%[[P]], %[[FIRST]]) : (i1, !llvm.ptr) -> ()
//       CHECK:   arith.constant
//       CHECK:   %[[SECOND:.*]] = llvm.mlir.addressof @inplace_message_1
//       CHECK:   call @inplace_require(%[[P]], %[[SECOND]])
//       CHECK:   return %{{.*}}, %[[M]] : i32, memref<4xf32>
//       CHECK: func.func private @inplace_require(i1, !llvm.ptr)
func.func private @checked(%p: i1, %m: memref<4xf32>) -> (i32, memref<4xf32>) {
  cf.assert %p, "not \22ok\22"
  %c = arith.constant 1 : i32
  cf.assert %p, "other"
  return %c, %m : i32, memref<4xf32>
}

// -----

// In any region.
// CHECK-LABEL: func.func @parallel
//       CHECK:   omp.loop_nest
//   CHECK-NOT:   cf.assert
//       CHECK:     call @inplace_require
func.func @parallel(%n: index, %c0: index, %c1: index, %p: i1, %m: memref<?xindex>) {
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        cf.assert %p, "no"
        memref.store %i, %m[%i] : memref<?xindex>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// The bytes of an allocation, where sizes are dynamic.
// CHECK-LABEL: func.func @sizes
//  CHECK-SAME: (%[[M:.*]]: index, %[[N:.*]]: index)
//       CHECK:   %[[LEAST:.*]] = arith.constant 1.200000e+01 : f64
//       CHECK:   %[[ROWS:.*]] = arith.index_castui %[[M]] : index to i64
//       CHECK:   %[[FROWS:.*]] = arith.uitofp %[[ROWS]] : i64 to f64
//       CHECK:   %[[PART:.*]] = arith.mulf %[[LEAST]], %[[FROWS]] : f64
//       CHECK:   %[[COLUMNS:.*]] = arith.index_castui %[[N]] : index to i64
//       CHECK:   %[[FCOLUMNS:.*]] = arith.uitofp %[[COLUMNS]] : i64 to f64
//       CHECK:   %[[ALL:.*]] = arith.mulf %[[PART]], %[[FCOLUMNS]] : f64
//       CHECK:   call @inplace_require_room(%[[ALL]]) : (f64) -> ()
//       CHECK:   memref.alloc(%[[M]], %[[N]])
//   CHECK-NOT:   inplace_require_room
//       CHECK:   memref.alloc() : memref<4xf32>
//       CHECK: func.func private @inplace_require_room(f64)
func.func @sizes(%m: index, %n: index) -> (memref<?x3x?xf32>, memref<4xf32>) {
  %0 = memref.alloc(%m, %n) : memref<?x3x?xf32>
  %1 = memref.alloc() : memref<4xf32>
  return %0, %1 : memref<?x3x?xf32>, memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_assertion
//   CHECK-NOT: inplace_
func.func @no_assertion() {
  return
}
