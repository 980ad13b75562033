// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries test-analysis-only dump-alias-sets print-conflicts' 2>/dev/null | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries test-analysis-only' | filecheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func private @declared(tensor<8xf32> {bufferization.access = "read-write"}) -> tensor<8xf32>
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

// CHECK-LABEL: func.func @read_later(
// CHECK-SAME:  tensor<8xf32> {bufferization.access = "read"}
// CHECK-SAME:  attributes {"C_0[DEF: bbArg 0]", __bbarg_alias_set_attr__ = {{\[\[\[\["%arg0"\]\]\]\]}}}
// CHECK-NEXT:  tensor.insert {{.*}} {"C_0[CONFL-WRITE: 1]", __inplace_operands_attr__ = ["none", "false", "none"], __opresult_alias_set_attr__ = {{\[\["%inserted"\]\]}}}
// CHECK-NEXT:  tensor.extract {{.*}} {"C_0[READ: 0]", __inplace_operands_attr__ = ["true", "none"]}
// PLAIN-LABEL: func.func @read_later(
// PLAIN-NEXT:  tensor.insert {{.*}} {__inplace_operands_attr__ = ["none", "false", "none"]} : tensor<8xf32>
func.func @read_later(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  %1 = tensor.extract %t[%i] : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT:  arith.constant {"W_0[NOT-WRITABLE: result 0]"
// CHECK-NEXT:  linalg.fill {__inplace_operands_attr__ = ["none", "false"]
func.func @constant(%f: f32) -> tensor<8xf32> {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @equivalent(
// CHECK-SAME:  tensor<8xf32> {bufferization.access = "write"}
// CHECK:       return {__equivalent_func_args__ = [-1, 1], __inplace_operands_attr__ = ["none", "true"]}
func.func @equivalent(%f: f32, %t: tensor<8xf32>) -> (f32, tensor<8xf32>) {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  return %f, %0 : f32, tensor<8xf32>
}
