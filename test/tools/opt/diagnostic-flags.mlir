// Diagnostics, and parts of them, can be left out.
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts' 2>&1 | filecheck %s --check-prefix=ALL
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts' --mlir-disable-diagnostic-notes 2>&1 | filecheck %s --check-prefix=NOTES
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts' --mlir-diagnostic-verbosity-level=warnings 2>&1 | filecheck %s --check-prefix=WARNINGS
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts' --mlir-diagnostic-verbosity-level=errors 2>&1 | filecheck %s --check-prefix=ERRORS
// RUN: not inplace-opt %s --transform-interpreter 2>&1 | filecheck %s --check-prefix=OPERATION
// RUN: not inplace-opt %s --transform-interpreter --mlir-print-op-on-diagnostic=false 2>&1 | filecheck %s --check-prefix=PLACE
// RUN: not inplace-opt %s --mlir-diagnostic-verbosity-level=notes 2>&1 | filecheck %s --check-prefix=LEVEL

// ALL-DAG: warning:
// ALL-DAG: remark: operand #1 of 'tensor.insert' is out-of-place
// ALL-DAG: note:
// NOTES-NOT: note:
// NOTES: remark: operand #1 of 'tensor.insert' is out-of-place
// NOTES-NOT: note:
// WARNINGS-NOT: remark:
// WARNINGS: warning:
// WARNINGS-NOT: remark:
// ERRORS-NOT: {{(remark|warning|note)}}:
// OPERATION: error: could not find a nested named sequence
// OPERATION: note: see current operation
// PLACE: error: could not find a nested named sequence
// PLACE-NOT: note:
// LEVEL: inplace-opt: error: argument --mlir-diagnostic-verbosity-level: invalid choice: 'notes'
func.func @f(%t: tensor<4xf32>, %u: tensor<4xf32>, %x: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = tensor.insert %x into %t[%i] : tensor<4xf32>
  %s = tensor.insert %x into %u[%i] : tensor<4xf32>
  return %r, %t, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
