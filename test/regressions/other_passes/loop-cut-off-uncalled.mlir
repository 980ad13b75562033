// Upstream's canonicalize went on for ever in the loop, which nothing leads to once the first branch is folded: nobody
// calls the function, so that sccp knew of no constants there, and both ways back hand over the same value.
// ARGUMENTS: 4xf32:iota
func.func private @unused(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = arith.cmpi slt, %c0, %c1 : index
  cf.cond_br %p, ^end, ^b1(%c0 : index)
^b1(%i: index):
  %j = arith.addi %i, %c1 : index
  %r = arith.remui %j, %c3 : index
  %s = arith.index_cast %r : index to i32
  cf.switch %s : i32, [
    default: ^b1(%j : index),
    1: ^end,
    2: ^b1(%j : index)
  ]
^end:
  return %t : tensor<4xf32>
}
func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}
