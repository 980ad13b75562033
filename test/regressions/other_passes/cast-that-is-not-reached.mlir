// No branch with a cast is ever taken. Once the sizes are folded, upstream folds two casts into one that MLIR
// refuses, to six elements from none or two.
// ARGUMENTS: 6xf32:iota false
func.func @main(%t: tensor<6xf32>, %p: i1) -> (tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = scf.if %p -> (tensor<6xf32>) {
    %s = tensor.extract_slice %t[0] [%c0] [1] : tensor<6xf32> to tensor<?xf32>
    %c = tensor.cast %s : tensor<?xf32> to tensor<6xf32>
    scf.yield %c : tensor<6xf32>
  } else {
    scf.yield %t : tensor<6xf32>
  }
  %b = scf.if %p -> (tensor<6xf32>) {
    %s = tensor.extract_slice %t[1] [%c2] [2] : tensor<6xf32> to tensor<?xf32>
    %c = tensor.cast %s : tensor<?xf32> to tensor<6xf32>
    scf.yield %c : tensor<6xf32>
  } else {
    scf.yield %t : tensor<6xf32>
  }
  return %a, %b : tensor<6xf32>, tensor<6xf32>
}
