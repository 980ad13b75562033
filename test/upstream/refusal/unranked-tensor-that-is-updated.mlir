// arguments: [[1, 2], 9]
// right: [[9, 2], [1, 2]]
// message: cannot avoid RaW conflict
// why: a copy of an unranked tensor is not made at the cast that knows its rank
func.func private @set(%u: tensor<*xf32>, %f: f32) -> tensor<*xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  %1 = tensor.insert %f into %0[%c0] : tensor<?xf32>
  %2 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
  return %2 : tensor<*xf32>
}
func.func @main(%t: tensor<2xf32>, %f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %u = tensor.cast %t : tensor<2xf32> to tensor<*xf32>
  %0 = call @set(%u, %f) : (tensor<*xf32>, f32) -> tensor<*xf32>
  %1 = tensor.cast %0 : tensor<*xf32> to tensor<2xf32>
  return %1, %t : tensor<2xf32>, tensor<2xf32>
}
