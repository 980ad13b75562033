// The fill writes what the branches have allocated. In a buffer of its own it would need the size of that one, which
// stays: one more allocation. The estimate took the buffers of both branches for unneeded then.
// COUNTS: 2 1
// ARGUMENTS: 3 true 5x4xf64:iota
// ARGUMENTS: 2 false 5x4xf64:iota
func.func @main(%n: index, %p: i1, %t: tensor<5x?xf64>) -> tensor<5x?xf64> {
  %one = arith.constant 1.0 : f64
  %row = scf.if %p -> (tensor<1x?xf64>) {
    %e = tensor.empty(%n) : tensor<1x?xf64>
    scf.yield %e : tensor<1x?xf64>
  } else {
    %e = tensor.empty(%n) : tensor<1x?xf64>
    scf.yield %e : tensor<1x?xf64>
  }
  %ones = linalg.fill ins(%one : f64) outs(%row : tensor<1x?xf64>) -> tensor<1x?xf64>
  %u = tensor.insert_slice %ones into %t[4, 0] [1, %n] [1, 1] : tensor<1x?xf64> into tensor<5x?xf64>
  return %u : tensor<5x?xf64>
}
