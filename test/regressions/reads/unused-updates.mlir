// Nothing that is not used is computed: an update of %t that nobody reads made the one that is returned copy.
// ARGUMENTS: 4xf32:iota 9.0 1 2
// COUNTS: 0 0
func.func @main(%t: tensor<4xf32>, %f: f32, %i: index, %j: index) -> tensor<4xf32> {
  %d = tensor.insert %f into %t[%j] : tensor<4xf32>
  %e = linalg.exp ins(%d : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %w : tensor<4xf32>
}
