// Both branches yield the same slice, updated in place, so inserting it where it was is no copy.
// COUNTS: 0 0
// ARGUMENTS: 8xf32:iota true 2 2.5
// ARGUMENTS: 8xf32:iota false 3 2.5
func.func @main(%t: tensor<8xf32>, %c: i1, %i: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> tensor<4xf32> {
    %a = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = tensor.insert %f into %a[%c0] : tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  } else {
    %b = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %y = tensor.insert %f into %b[%c1] : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  %w = tensor.insert_slice %r into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %w : tensor<8xf32>
}
