// arguments: [[1], [3, 4]]
// right: [4]
// message: op was not bufferized
// why: tensor.gather and tensor.scatter have no model
func.func @main(%i: tensor<1xindex>, %t: tensor<2xf32>) -> tensor<f32> {
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<2xf32>, tensor<1xindex>) -> tensor<f32>
  return %0 : tensor<f32>
}
