// arguments: [[1, 2]]
// right: [[1, 2]]
// passes: one-shot-bufferize{bufferize-function-boundaries=true},canonicalize
// why: once nothing leads to the loop, canonicalize folds `%j` into itself and does not end
func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %p = arith.constant true
  cf.cond_br %p, ^end, ^b1(%c0 : index)
^b1(%i: index):
  %j = arith.addi %i, %c1 : index
  %q = arith.cmpi slt, %j, %c6 : index
  cf.cond_br %q, ^go, ^end
^go:
  cf.br ^b1(%j : index)
^end:
  return %t : tensor<2xf32>
}
