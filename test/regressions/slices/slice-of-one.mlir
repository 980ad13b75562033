// The size of the kept dimension is known to be one: upstream took other dimensions for the dropped ones, refused the
// subview, and crashed where canonicalization came to know the size.
// ARGUMENTS: 3x1x1x2xf32:iota 1 2
// ARGUMENTS: 1x1x1x1xf32:iota 0 0
func.func @main(%t: tensor<?x1x1x?xf32>, %i: index, %j: index) -> (tensor<1x1x?xf32>, tensor<?x1x1x?xf32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %s = tensor.extract_slice %t[%i, 0, 0, 0] [1, 1, 1, %c1] [1, 1, 1, 1] : tensor<?x1x1x?xf32> to tensor<1x1x?xf32>
  %u = tensor.insert_slice %s into %t[%j, 0, 0, 0] [1, 1, 1, %c1] [1, 1, 1, 1] : tensor<1x1x?xf32> into tensor<?x1x1x?xf32>
  return %s, %u : tensor<1x1x?xf32>, tensor<?x1x1x?xf32>
}
