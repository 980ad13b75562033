// passes: one-shot-bufferize{bufferize-function-boundaries=true allow-unknown-ops=true},canonicalize
// ours: inplace-one-shot-bufferize{bufferize-function-boundaries=true allow-unknown-ops=true},canonicalize
// arguments: [[1, 2], 9]
// right: [[9, 2], [1, 2]]
// why: the result of an op without a model is taken for a new tensor, although it may be the operand
func.func @main(%t: tensor<2xf32>, %f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %u = builtin.unrealized_conversion_cast %t : tensor<2xf32> to tensor<2xf32>
  %0 = tensor.insert %f into %t[%c0] : tensor<2xf32>
  return %0, %u : tensor<2xf32>, tensor<2xf32>
}
