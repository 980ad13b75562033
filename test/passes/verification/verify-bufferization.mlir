// RUN: inplace-opt %s --pass-pipeline='builtin.module(inplace-verify-bufferization{record},inplace-one-shot-bufferize{function-boundaries},inplace-verify-bufferization{report})' 2>&1 | filecheck %s
// RUN: inplace-opt %s --pass-pipeline='builtin.module(inplace-verify-bufferization{record},one-shot-bufferize{bufferize-function-boundaries},inplace-verify-bufferization)' | filecheck %s --check-prefix=UPSTREAM
// RUN: inplace-opt %s --pass-pipeline='builtin.module(inplace-verify-bufferization{record})' --mlir-print-debuginfo | filecheck %s --check-prefix=RECORD
// RUN: inplace-opt %s --inplace-one-shot-bufferize='function-boundaries verify-bufferization' --mlir-print-debuginfo | filecheck %s --check-prefix=OPTION
// RUN: inplace-opt %s --inplace-plan-bufferize='function-boundaries verify-bufferization' --mlir-print-debuginfo | filecheck %s --check-prefix=OPTION
// RUN: inplace-opt %s --pass-pipeline='builtin.module(inplace-verify-bufferization{record},inplace-one-shot-bufferize{function-boundaries},inplace-verify-bufferization)' --mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=STATISTICS

// The recorded program is an attribute, and each op's number is in its location.
// RECORD: module attributes {inplace.tensor_program = "
// RECORD: loc("inplace.tensor-op#0"(
// RECORD: loc("inplace.tensor-op#2"(

// Both are gone in the end, whichever bufferization ran in between.
// CHECK: 5 reads are right, 0 were not checked
// CHECK-NOT: inplace.tensor
// CHECK: memref.copy
// CHECK: memref.store
// UPSTREAM-NOT: inplace.tensor
// UPSTREAM: memref.copy
// OPTION-NOT: inplace.tensor
// OPTION: memref.copy
// OPTION-NOT: inplace.tensor

// STATISTICS: 5 num-checked
// STATISTICS: 0 num-not-checked

// Five reads: the element of %t, two inputs of the addition, and two returned tensors.
func.func @updated_and_read(%t: tensor<8xf32>, %x: f32, %i: index) -> (tensor<8xf32>, f32, tensor<8xf32>) {
  %r = tensor.insert %x into %t[%i] : tensor<8xf32>
  %y = tensor.extract %t[%i] : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.add ins(%r, %t : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r, %y, %s : tensor<8xf32>, f32, tensor<8xf32>
}
