// A pass that fails leaves the IR and the pipeline in a file, which runs again.
// RUN: rm -f %t.mlir && not inplace-opt %s --cse --transform-interpreter --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=FILE --input-file=%t.mlir
// RUN: not inplace-opt --run-reproducer %t.mlir 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: inplace-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.none -o /dev/null && not ls %t.none

// CHECK: error: could not find a nested named sequence
// CHECK: reproducer generated at '{{.*}}.mlir'

// FILE: "func.func"
// FILE: {-#
// FILE: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(cse,transform-interpreter)",
// FILE: verify_each: true
// FILE: #-}

// AGAIN: error: could not find a nested named sequence
func.func @f() { return }
