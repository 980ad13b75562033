// RUN: inplace-opt %s --inplace-outline-kernels=repeats=1 --verify-diagnostics

// expected-error @below {{repeats must be at least 2, got 1}}
module {
  func.func @f() {
    return
  }
}
