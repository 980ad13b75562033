// The branches yield different slices: the one that is inserted elsewhere has to be copied before it is overwritten.
// ARGUMENTS: 8xf32:iota true 2 3
// ARGUMENTS: 8xf32:iota false 2 3
// ARGUMENTS: 8xf32:iota false 2 2
func.func @main(%t: tensor<8xf32>, %c: i1, %i: index, %j: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = scf.if %c -> tensor<4xf32> {
    %a = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %b = tensor.extract_slice %t[%j] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %w = tensor.insert_slice %r into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %s = scf.if %c -> tensor<4xf32> {
    %d = tensor.extract_slice %w[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  } else {
    %e = tensor.extract_slice %w[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %x = tensor.insert_slice %s into %w[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %w, %x : tensor<8xf32>, tensor<8xf32>
}
