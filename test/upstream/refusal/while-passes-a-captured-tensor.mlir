// arguments: [[1, 2], false]
// right: [[1, 2]]
// message: not equivalent
// why: what the condition of scf.while passes has to be what the loop carries
func.func @main(%u: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %r = scf.while : () -> tensor<2xf32> {
    scf.condition(%p) %u : tensor<2xf32>
  } do {
  ^bb0(%b: tensor<2xf32>):
    scf.yield
  }
  return %r : tensor<2xf32>
}
