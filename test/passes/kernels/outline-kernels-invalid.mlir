// RUN: not inplace-opt %s --inplace-outline-kernels=repeats=1 2>&1 | filecheck %s --check-prefix=REPEATS
// RUN: not inplace-opt %s --inplace-outline-kernels=crowd=0 2>&1 | filecheck %s --check-prefix=CROWD

// REPEATS: error: repeats must be at least 2, got 1
// CROWD: error: crowd must be at least 1, got 0
module {
  func.func @f() {
    return
  }
}
