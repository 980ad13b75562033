// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [2, 2], 1], ["int64", null, 1]]]
func.func @main(%t: tensor<2x2xf32>, %n: index) -> tensor<2x2xf32> {
  %s = tensor.extract_slice %t[%n, 0] [1, 2] [1, 1] : tensor<2x2xf32> to tensor<2xf32>
  %r = tensor.insert_slice %s into %t[0, 0] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
