// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [8], 1]]]
func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
  %m = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %c = "others.columns"(%m, %t) : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
