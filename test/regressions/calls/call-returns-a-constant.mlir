// The result of the call may be a constant, which must not be written; what is passed to it was copied for that.
// COUNTS: 0 0
// ARGUMENTS: 4xi32:iota true
// ARGUMENTS: 4xi32:iota false
func.func private @callee(%t: tensor<4xi32>, %c: i1) -> tensor<4xi32> {
  %c7 = arith.constant 7 : i32
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<[20, 21, 22, 23]> : tensor<4xi32>
  %u = tensor.insert %c7 into %t[%c1] : tensor<4xi32>
  %s = arith.select %c, %u, %k : tensor<4xi32>
  return %s : tensor<4xi32>
}
func.func @main(%t: tensor<4xi32>, %c: i1) -> tensor<4xi32> {
  %s = call @callee(%t, %c) : (tensor<4xi32>, i1) -> tensor<4xi32>
  return %s : tensor<4xi32>
}
