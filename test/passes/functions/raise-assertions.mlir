// RUN: inplace-opt %s --split-input-file --inplace-raise-assertions | filecheck %s

// Each message once; what calls a function that may fail asks whether it has.
// CHECK:     llvm.mlir.global internal constant @inplace_failure_1("{{.*}}:[[#]]:3: other\00")
// CHECK:     llvm.mlir.global internal constant @inplace_failure_0("{{.*}}:[[#]]:3: not \22ok\22\00")
// CHECK-LABEL: func.func private @checked
//  CHECK-SAME: (%[[P:.*]]: i1, %[[M:.*]]: memref<4xf32>)
//       CHECK:   cf.cond_br %[[P]] weights([1048576, 1]), ^[[REST:.*]], ^[[FIRST:.*]]
//       CHECK: ^[[REST]]:
//       CHECK:   cf.cond_br %[[P]] weights([1048576, 1]), ^[[DONE:.*]], ^[[SECOND:.*]]
//       CHECK: ^[[DONE]]:
//       CHECK:   return %{{.*}}, %[[M]] : i32, memref<4xf32>
//       CHECK: ^[[LEAVE:.*]]: // 2 preds
//       CHECK:   ub.poison : i32
//       CHECK:   ub.poison : memref<4xf32>
//       CHECK:   return
//       CHECK: ^[[SECOND]]:
//       CHECK:   llvm.mlir.addressof @inplace_failure_1
//       CHECK:   cf.br ^[[LEAVE]]
//       CHECK: ^[[FIRST]]:
//       CHECK:   %[[TEXT:.*]] = llvm.mlir.addressof @inplace_failure_0
//       CHECK:   %[[ADDRESS:.*]] = llvm.ptrtoint %[[TEXT]]
//       CHECK:   %[[PLACE:.*]] = llvm.mlir.addressof @inplace_failure :
//       CHECK:   llvm.store %[[ADDRESS]], %[[PLACE]]
//       CHECK:   cf.br ^[[LEAVE]]
func.func private @checked(%p: i1, %m: memref<4xf32>) -> (i32, memref<4xf32>) {
  cf.assert %p, "not \22ok\22"
  %c = arith.constant 1 : i32
  cf.assert %p, "other"
  return %c, %m : i32, memref<4xf32>
}
// CHECK-LABEL: func.func @caller
//       CHECK: ^bb1:
//       CHECK:   call @checked
//       CHECK:   %[[FOUND:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
//       CHECK:   %[[FINE:.*]] = llvm.icmp "eq" %[[FOUND]],
//       CHECK:   cf.cond_br %[[FINE]] weights([1048576, 1]), ^bb2, ^bb3
//       CHECK: ^bb2:
//       CHECK:   return
//       CHECK: ^bb3:
//       CHECK:   return
func.func @caller(%p: i1, %m: memref<4xf32>) {
  cf.br ^call
^call:
  %c, %n = call @checked(%p, %m) : (i1, memref<4xf32>) -> (i32, memref<4xf32>)
  return
}
// CHECK-LABEL: func.func @unconcerned
//   CHECK-NOT:   cf.cond_br
func.func @unconcerned() {
  return
}
// CHECK: func.func @inplace_take_failure() -> i64

// -----

// The body of a parallel loop ends, and the function behind the loop.
// CHECK-LABEL: func.func @parallel
//       CHECK:   omp.parallel {
//       CHECK:     omp.loop_nest
//       CHECK:       cf.cond_br
//       CHECK:       omp.yield
//       CHECK:       omp.yield
//       CHECK:   }
//       CHECK:   llvm.load
//       CHECK:   cf.cond_br
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

// CHECK-LABEL: func.func @no_assertion
//   CHECK-NOT: inplace_failure
func.func @no_assertion() {
  return
}

// -----

// Whoever calls it by its address would go on.
// CHECK-LABEL: func.func @by_address
//       CHECK:   cf.assert
//   CHECK-NOT: inplace_failure
func.func @by_address(%p: i1) {
  cf.assert %p, "no"
  return
}
func.func @address() -> ((i1) -> ()) {
  %0 = func.constant @by_address : (i1) -> ()
  return %0 : (i1) -> ()
}

// -----

// A region that cannot be left in the middle.
// CHECK-LABEL: func.func @other_region
//       CHECK:   cf.assert
//   CHECK-NOT: inplace_failure
func.func @other_region(%p: i1) {
  scf.if %p {
    cf.assert %p, "no"
  }
  return
}
