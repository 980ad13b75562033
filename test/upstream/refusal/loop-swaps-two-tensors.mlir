// arguments: [[1, 2], [3, 4], 1]
// right: [[3, 4], [1, 2]]
// message: is not equivalent to the corresponding iter bbArg
// why: buffers cannot be swapped; with allow-return-allocs-from-loops both are copied in each iteration
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<2xf32>, tensor<2xf32>) {
    scf.yield %y, %x : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
