// The fill needs a buffer of its own, and then nothing is copied: the select gives that buffer or %t itself.
// COUNTS: 1 0
// ARGUMENTS: 4xi32:iota true
// ARGUMENTS: 4xi32:iota false
func.func @main(%t: tensor<4xi32>, %c: i1) -> tensor<4xi32> {
  %c7 = arith.constant 7 : i32
  %f = linalg.fill ins(%c7 : i32) outs(%t : tensor<4xi32>) -> tensor<4xi32>
  %s = arith.select %c, %f, %t : tensor<4xi32>
  %r = linalg.mul ins(%s, %t : tensor<4xi32>, tensor<4xi32>) outs(%t : tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
