// RUN: inplace-opt %s --canonicalize --cse --mlir-print-ir-before-all --mlir-print-ir-after-all -o /dev/null 2>&1 | filecheck %s --check-prefix=ALL
// RUN: inplace-opt %s --canonicalize --cse --mlir-print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: not inplace-opt %s --canonicalize --transform-interpreter --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=FAILURE
// RUN: rm -rf %t
// RUN: inplace-opt %s --pass-pipeline='builtin.module(canonicalize,func.func(cse))' --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: filecheck %s --check-prefix=TREE --input-file=%t/builtin_module_no-symbol-name/func_func_f/0_0_cse.mlir

// ALL:     IR Dump Before CanonicalizerPass: canonicalize{{.*}} //
// ALL:     arith.constant
// ALL:     IR Dump After CanonicalizerPass: canonicalize{{.*}} //
// ALL-NOT: arith.constant
// ALL:     IR Dump Before CSEPass: cse //
// ALL:     IR Dump After CSEPass: cse //

// CHANGE:     IR Dump After CanonicalizerPass: canonicalize{{.*}} //
// CHANGE-NOT: IR Dump

// FAILURE-NOT: IR Dump After CanonicalizerPass
// FAILURE:     IR Dump After InterpreterPass: transform-interpreter{{.*}} Failed //

// TREE:      IR Dump After CSEPass: cse //
// TREE-NEXT: func.func @f()
func.func @f() {
  %unused = arith.constant 1 : index
  return
}
