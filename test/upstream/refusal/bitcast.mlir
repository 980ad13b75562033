// arguments: [[1, 2]]
// right: [[1065353216, 1073741824]]
// message: op was not bufferized
// why: tensor.bitcast has no model
func.func @main(%t: tensor<2xf32>) -> tensor<2xi32> {
  %0 = tensor.bitcast %t : tensor<2xf32> to tensor<2xi32>
  return %0 : tensor<2xi32>
}
