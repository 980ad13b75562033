// arguments: [[300.5, -129.5, 1.5]]
// right: [[127, -128, 1]]
// passes: func.func(stablehlo-legalize-to-linalg)
// why: numbers beyond the range of the integers become the last of them in XLA; they become an arith.fptosi here, whose result is then open, and compiled code wraps around
func.func @main(%x: tensor<3xf32>) -> tensor<3xi8> {
  %0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}
