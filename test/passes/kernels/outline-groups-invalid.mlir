// RUN: inplace-opt %s --inplace-outline-groups=repeats=0 --verify-diagnostics
// RUN: not inplace-opt %s --inplace-outline-groups='machine="l9=1"' 2>&1 | filecheck %s --check-prefix=MACHINE

// MACHINE: outline-groups-invalid.mlir:6:1: error: {{.*}}l9
// expected-error @below {{repeats must be at least 1, got 0}}
module {}
