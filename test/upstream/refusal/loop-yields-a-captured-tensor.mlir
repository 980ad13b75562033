// arguments: [[1, 2], [3, 4], 1]
// right: [[3, 4]]
// message: is not equivalent to the corresponding iter bbArg
// why: what a loop yields has to be the buffer that it carries
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a) -> tensor<2xf32> {
    scf.yield %b : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
