// RUN: inplace-opt %s --inplace-keep-waits --canonicalize | filecheck %s
// RUN: inplace-opt %s --inplace-keep-waits --verify-each --mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=STATS

// Upstream's canonicalization alone erases the wait whose code is not used: it knows of no effect.
// RUN: inplace-opt %s --canonicalize | filecheck %s --check-prefix=ERASED
// ERASED-LABEL: func.func @unused
// ERASED-NEXT: return

// CHECK: func.func private @inplace_mpi_wait_for(!mpi.request) -> !mpi.retval
// CHECK-LABEL: func.func @unused
// CHECK: %[[CODE:.*]] = call @inplace_mpi_wait_for(%{{.*}}) : (!mpi.request) -> !mpi.retval
// CHECK: %[[OK:.*]] = mpi.retval_check %[[CODE]] = <MPI_SUCCESS> : i1
// CHECK: cf.assert %[[OK]], "mpi.wait failed"
func.func @unused(%request: !mpi.request) {
  mpi.wait(%request) : !mpi.request
  return
}

// CHECK-LABEL: func.func @used
// CHECK: %[[CODE:.*]] = call @inplace_mpi_wait_for
// CHECK-NEXT: %[[OK:.*]] = mpi.retval_check %[[CODE]]
// CHECK-NEXT: return %[[OK]]
func.func @used(%request: !mpi.request) -> i1 {
  %code = mpi.wait(%request) : !mpi.request -> !mpi.retval
  %ok = mpi.retval_check %code = <MPI_SUCCESS> : i1
  return %ok : i1
}

// STATS: 2 waits
