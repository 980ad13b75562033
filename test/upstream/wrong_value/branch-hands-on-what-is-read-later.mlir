// arguments: [[1, 2], 9]
// right: [[9, 2], [1, 2]]
// why: tensors are not followed through branches between blocks
func.func @main(%t: tensor<2xf32>, %f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  cf.br ^next(%t : tensor<2xf32>)
^next(%x: tensor<2xf32>):
  %0 = tensor.insert %f into %x[%c0] : tensor<2xf32>
  return %0, %t : tensor<2xf32>, tensor<2xf32>
}
