// The call counted as writing %t, which @callee only reads: what it writes is yielded by the other region.
// COUNTS: 1 0
// ARGUMENTS: 4xf32:iota true
// ARGUMENTS: 4xf32:iota false
func.func private @callee(%t: tensor<4xf32>, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %t : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  }
  %v = tensor.extract %r[%c1] : tensor<4xf32>
  return %v : f32
}
func.func @main(%t: tensor<4xf32>, %c: i1) -> (f32, tensor<4xf32>) {
  %v = call @callee(%t, %c) : (tensor<4xf32>, i1) -> f32
  return %v, %t : f32, tensor<4xf32>
}
