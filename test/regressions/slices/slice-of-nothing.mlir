// Sizes are known to be 0 after folding: MLIR refused offset 0 of a dimension without elements, also in the slice of a
// slice that drops a dimension, and where offset and strides come with the call.
// ARGUMENTS: 5x4xf32:iota 1 2
// ARGUMENTS: 5x1xf32:iota 1 0
func.func @main(%t: tensor<5x?xf32>, %i: index, %j: index) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<5x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.extract_slice %t[1, %c0] [%c0, %i] [2, 1] : tensor<5x?xf32> to tensor<?x?xf32>
  %b = tensor.extract_slice %a[0, 0] [%c0, %i] [2, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %c = tensor.extract_slice %a[0, %c0] [%c0, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %d = tensor.insert_slice %a into %t[%i, 0] [%c0, %i] [1, 1] : tensor<?x?xf32> into tensor<5x?xf32>
  %e = tensor.empty(%c0) : tensor<?xf32>
  %f = tensor.insert_slice %c into %e[0] [%c0] [1] : tensor<?xf32> into tensor<?xf32>
  return %b, %c, %d, %f : tensor<?x?xf32>, tensor<?xf32>, tensor<5x?xf32>, tensor<?xf32>
}
