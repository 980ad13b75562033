// The slice was filled in the tensor it was taken from, so that the loop had to begin with a copy of that tensor.
// ARGUMENTS: 8xf32:iota 9.0 4 3
// ARGUMENTS: 8xf32:iota 9.0 0 3
// COUNTS: 1 1
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index, %i: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %t[%k] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = linalg.fill ins(%f : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    %w = tensor.insert_slice %x into %a[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}
