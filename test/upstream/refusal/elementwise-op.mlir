// arguments: [[1, 2]]
// right: [[2, 4]]
// message: op was not bufferized
// why: elementwise ops of arith and math on tensors have no model
func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %t, %t : tensor<2xf32>
  return %0 : tensor<2xf32>
}
