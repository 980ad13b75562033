// RUN: inplace-opt %s --inplace-balance-threads='threads=0' --verify-diagnostics
// RUN: not inplace-opt %s --inplace-balance-threads='chunks=0' 2>&1 | filecheck %s
// CHECK: error: the option 'chunks' must be positive, got 0

// expected-error @below {{the option 'threads' must be positive, got 0}}
module {
  func.func @f(%c: index) {
    omp.parallel {
      omp.wsloop {
        omp.loop_nest (%i) : index = (%c) to (%c) step (%c) {
          omp.yield
        }
      }
      omp.terminator
    }
    return
  }
}
