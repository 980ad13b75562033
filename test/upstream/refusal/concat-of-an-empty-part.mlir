// arguments: [{"shape": [0]}, [1, 2]]
// right: [[1, 2]]
// message: out-of-bounds
// why: the part behind the others is given a slice that begins at the end
func.func @main(%a: tensor<0xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tensor.concat dim(0) %b, %a : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
