// arguments: [[[[1], [2]]], 0]
// right: [[[1]]]
// message: expected result type to be
// why: a memref.subview finds the dimensions that it drops by sizes and strides, and other ones where those are dynamic
func.func @main(%t: tensor<?x?x1xf32>, %i: index) -> tensor<1x?xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %t[%i, 0, 0] [1, %c1, 1] [1, 1, 1] : tensor<?x?x1xf32> to tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}
