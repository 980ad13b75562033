// arguments: [[1, 2], true]
// right: [[1, 2]]
// message: could not infer buffer type of block argument
// why: the types of what nested loops of blocks carry are not found
func.func @main(%t: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  cf.br ^outer(%t : tensor<2xf32>)
^outer(%a: tensor<2xf32>):
  cf.cond_br %p, ^end, ^inner(%a : tensor<2xf32>)
^inner(%b: tensor<2xf32>):
  cf.cond_br %p, ^inner(%b : tensor<2xf32>), ^outer(%b : tensor<2xf32>)
^end:
  return %a : tensor<2xf32>
}
