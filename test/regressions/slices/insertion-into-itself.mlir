// A tensor cast to dynamic sizes is inserted into itself: that is all of it, so nothing is written.
// COUNTS: 0 0
// ARGUMENTS: 2x4xf32:iota 4
func.func @main(%t: tensor<2x4xf32>, %n: index) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %a = tensor.cast %t : tensor<2x4xf32> to tensor<2x?xf32>
  %w = tensor.insert_slice %a into %t[0, 0] [2, %n] [1, 1] : tensor<2x?xf32> into tensor<2x4xf32>
  return %w, %t : tensor<2x4xf32>, tensor<2x4xf32>
}
