// The copy of a slice is another buffer in each iteration, but the loop copied it into the buffer that it carried.
// ARGUMENTS: 8xf32:iota 4xf32:iota 9.0 4 1 2
// ARGUMENTS: 8xf32:iota 4xf32:iota 9.0 0 1 2
func.func @main(%t: tensor<8xf32>, %h: tensor<4xf32>, %f: f32, %n: index, %i: index, %j: index)
    -> (tensor<4xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %h) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = linalg.fill ins(%f : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    %q = tensor.extract %a[%i] : tensor<4xf32>
    %z = arith.addf %q, %f : f32
    %w = tensor.insert %z into %x[%j] : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %l, %t : tensor<4xf32>, tensor<8xf32>
}
