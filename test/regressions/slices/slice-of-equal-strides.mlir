// Of the three dimensions of size one the last one is dropped; its stride is that of the first one, which upstream took
// for the dropped one: it refused the subview.
// ARGUMENTS: 2x4x41xf32:iota 1 2 20
// ARGUMENTS: 2x4x41xf32:iota 0 1 1
func.func @main(%t: tensor<2x4x41xf32>, %i: index, %j: index, %n: index)
    -> (tensor<1x1xf32>, tensor<1x4xf32>, tensor<1x1xf32>, tensor<2x4x41xf32>, tensor<1x1x1xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x4x41xf32>
  %p = linalg.exp ins(%t : tensor<2x4x41xf32>) outs(%e : tensor<2x4x41xf32>) -> tensor<2x4x41xf32>
  %a = tensor.extract_slice %p[1, %i, %j] [1, 1, 1] [1, 1, 164] : tensor<2x4x41xf32> to tensor<1x1xf32>
  %b = tensor.extract_slice %p[1, 0, %j] [1, 4, 1] [1, 1, 164] : tensor<2x4x41xf32> to tensor<1x4xf32>
  %c = tensor.extract_slice %p[1, %i, %j] [1, 1, 1] [%n, 1, %n] : tensor<2x4x41xf32> to tensor<1x1xf32>
  %f = linalg.fill ins(%one : f32) outs(%b : tensor<1x4xf32>) -> tensor<1x4xf32>
  %u = tensor.insert_slice %f into %p[1, 0, %j] [1, 4, 1] [1, 1, 164] : tensor<1x4xf32> into tensor<2x4x41xf32>
  %g = tensor.empty() : tensor<1x1x1xf32>
  %v = scf.forall (%k) in (1) shared_outs(%o = %g) -> tensor<1x1x1xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[0, %k, 0] [1, 1, 1] [2, 1, 2] : tensor<1x1xf32> into tensor<1x1x1xf32>
    }
  }
  return %a, %b, %c, %u, %v : tensor<1x1xf32>, tensor<1x4xf32>, tensor<1x1xf32>, tensor<2x4x41xf32>, tensor<1x1x1xf32>
}
