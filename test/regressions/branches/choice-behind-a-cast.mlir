// The fill needs a buffer of its own, and then nothing is copied: %x is %t or that buffer, and so is what is cast.
// COUNTS: 1 0
// ARGUMENTS: 4xi32:iota true
// ARGUMENTS: 4xi32:iota false
func.func @main(%t: tensor<4xi32>, %c: i1) -> tensor<4xi32> {
  %c7 = arith.constant 7 : i32
  %x = scf.if %c -> (tensor<?xi32>) {
    %a = tensor.cast %t : tensor<4xi32> to tensor<?xi32>
    scf.yield %a : tensor<?xi32>
  } else {
    %f = linalg.fill ins(%c7 : i32) outs(%t : tensor<4xi32>) -> tensor<4xi32>
    %a = tensor.cast %f : tensor<4xi32> to tensor<?xi32>
    scf.yield %a : tensor<?xi32>
  }
  %y = tensor.cast %x : tensor<?xi32> to tensor<4xi32>
  %r = linalg.mul ins(%y, %t : tensor<4xi32>, tensor<4xi32>) outs(%t : tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
