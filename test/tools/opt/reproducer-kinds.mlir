// The smallest reproducer is the pass that failed, with the IR before it; one can be had without a failure too.
// RUN: rm -f %t.*
// RUN: not inplace-opt %s --cse --transform-interpreter --canonicalize --mlir-pass-pipeline-crash-reproducer=%t.local --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=LOCAL --input-file=%t.local
// RUN: not inplace-opt --run-reproducer %t.local 2>&1 | filecheck %s
// RUN: inplace-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.none --mlir-pass-pipeline-local-reproducer -o /dev/null && not ls %t.none %t.none.pending
// RUN: inplace-opt %s --cse --canonicalize --mlir-generate-reproducer=%t.all -o /dev/null
// RUN: filecheck %s --check-prefix=GENERATED --input-file=%t.all
// RUN: inplace-opt --run-reproducer %t.all | filecheck %s --check-prefix=AGAIN
// RUN: not inplace-opt %s --cse --mlir-generate-reproducer=%t.no/where 2>&1 | filecheck %s --check-prefix=NOWHERE
// RUN: not inplace-opt %s --cse --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s --check-prefix=ALONE

// CHECK: error: could not find a nested named sequence

// LOCAL-COUNT-1: arith.constant
// LOCAL: pipeline: "builtin.module(transform-interpreter{{.*}}",

// GENERATED-COUNT-2: arith.constant
// GENERATED: pipeline: "builtin.module(cse,canonicalize)",

// AGAIN-COUNT-1: arith.constant
// NOWHERE: inplace-opt: error: cannot write '{{.*}}.no/where{{.*}}': No such file or directory
// ALONE: inplace-opt: error: --mlir-pass-pipeline-local-reproducer needs --mlir-pass-pipeline-crash-reproducer=FILE
func.func @f() -> (i32, i32) {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  return %0, %1 : i32, i32
}
