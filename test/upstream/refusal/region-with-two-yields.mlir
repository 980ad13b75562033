// arguments: [[1, 2], [3, 4], true]
// right: [[1, 2]]
// message: without unique scf.yield is not supported
// why: the conversion looks for the one scf.yield of a region
func.func @main(%t: tensor<2xf32>, %u: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %x = scf.execute_region -> tensor<2xf32> {
    cf.cond_br %p, ^a, ^b
  ^a:
    scf.yield %t : tensor<2xf32>
  ^b:
    scf.yield %u : tensor<2xf32>
  }
  return %x : tensor<2xf32>
}
