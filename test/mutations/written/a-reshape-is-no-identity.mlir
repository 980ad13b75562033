// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<4x4xf32>, %f: f32) -> (tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %w = tensor.collapse_shape %t [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %x = tensor.insert %f into %w[%c0] : tensor<16xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %z = tensor.insert_slice %y into %t[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}
