// RUN: inplace-opt %s --inplace-mark-kernels=repeats=0 --verify-diagnostics
// RUN: not inplace-opt %s --inplace-mark-kernels=many=0 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not inplace-opt %s --inplace-mark-kernels=saved=0 2>&1 | filecheck %s --check-prefix=SAVED
// RUN: not inplace-opt %s --inplace-mark-kernels=elements=-1 2>&1 | filecheck %s --check-prefix=ELEMENTS
// RUN: not inplace-opt %s --inplace-mark-kernels='machine="l9=1"' 2>&1 | filecheck %s --check-prefix=MACHINE

// MANY: mark-kernels-invalid.mlir:12:1: error: many must be at least 1, got 0
// SAVED: mark-kernels-invalid.mlir:12:1: error: saved must be at least 1, got 0
// ELEMENTS: mark-kernels-invalid.mlir:12:1: error: elements must be at least 1, got -1
// MACHINE: mark-kernels-invalid.mlir:12:1: error: {{.*}}l9
// expected-error @below {{repeats must be at least 1, got 0}}
module {}
