// RUN: inplace-opt %s --inplace-outline-layers=repeats=0 --verify-diagnostics
// RUN: not inplace-opt %s --inplace-outline-layers=fewest=0 2>&1 | filecheck %s

// CHECK: outline-layers-invalid.mlir:6:1: error: {{.*}}fewest must be at least 1, got 0
// expected-error @below {{repeats must be at least 1, got 0}}
module {}
