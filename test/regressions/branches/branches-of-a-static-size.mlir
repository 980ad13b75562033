// A static size is no reason to keep the buffers of both branches: the fill allocates one of its own.
// COUNTS: 1 1
// ARGUMENTS: true 5x4xf64:iota
// ARGUMENTS: false 5x4xf64:iota
func.func @main(%p: i1, %t: tensor<5x4xf64>) -> tensor<5x4xf64> {
  %one = arith.constant 1.0 : f64
  %row = scf.if %p -> (tensor<1x4xf64>) {
    %e = tensor.empty() : tensor<1x4xf64>
    scf.yield %e : tensor<1x4xf64>
  } else {
    %e = tensor.empty() : tensor<1x4xf64>
    scf.yield %e : tensor<1x4xf64>
  }
  %ones = linalg.fill ins(%one : f64) outs(%row : tensor<1x4xf64>) -> tensor<1x4xf64>
  %u = tensor.insert_slice %ones into %t[4, 0] [1, 4] [1, 1] : tensor<1x4xf64> into tensor<5x4xf64>
  return %u : tensor<5x4xf64>
}
