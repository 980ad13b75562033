// Buffers that a loop swaps have to be different ones only if the loop, or what follows, writes one of them.
// ARGUMENTS: 4xf32:iota 3
// ARGUMENTS: 4xf32:iota 0
// COUNTS: 0 0
func.func @main(%t: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %t, %t : index, tensor<4xf32>, tensor<4xf32>)
^head(%i: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^end
^body:
  %k = arith.addi %i, %c1 : index
  cf.br ^head(%k, %b, %a : index, tensor<4xf32>, tensor<4xf32>)
^end:
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
