// The cast to two dimensions is in a branch that is not taken. Upstream folds the casts to and from an unranked memref
// into one between different ranks, which MLIR refuses; a pass of ours stopped with a ValueError.
// ARGUMENTS: 6xf32:iota false
func.func @main(%t: tensor<6xf32>, %p: i1) -> tensor<2x3xf32> {
  %one = arith.constant 1.0 : f32
  %u = tensor.cast %t : tensor<6xf32> to tensor<*xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %r = scf.if %p -> tensor<2x3xf32> {
    %k = tensor.cast %u : tensor<*xf32> to tensor<2x3xf32>
    scf.yield %k : tensor<2x3xf32>
  } else {
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.yield %f : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}
