// arguments: [[200, 1], [2, 0]]
// right: [400]
// passes: func.func(stablehlo-legalize-to-linalg)
// why: unsigned numbers are extended by their sign inside of the product: 200 counts as -56
func.func @main(%x: tensor<2xui8>, %y: tensor<2xui8>) -> tensor<ui32> {
  %0 = stablehlo.dot %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<ui32>
  return %0 : tensor<ui32>
}
