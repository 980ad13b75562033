// `--from=tosa`: the input is lowered to linalg before any pass; inplace-run recognises it.

// RUN: inplace-opt %s --from=tosa | filecheck %s
// RUN: inplace-run %s --arg iota --arg '[[1], [2]]' --check 'np.sum(a0 + a1, axis=1, keepdims=True)'

// CHECK-NOT: tosa.
// CHECK: linalg.reduce
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}
