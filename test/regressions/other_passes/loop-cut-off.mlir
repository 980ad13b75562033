// Upstream's canonicalize went on for ever in the loop, which nothing leads to once the first branch is folded.
// ARGUMENTS: 4xf32:iota
func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %p = arith.constant true
  cf.cond_br %p, ^end, ^b1(%c0 : index)
^b1(%i: index):
  %j = arith.addi %i, %c1 : index
  %k = arith.cmpi slt, %j, %c6 : index
  cf.cond_br %k, ^go, ^end
^go:
  cf.br ^b1(%j : index)
^end:
  return %t : tensor<4xf32>
}
