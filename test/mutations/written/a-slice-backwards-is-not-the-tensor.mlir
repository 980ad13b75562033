// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [8], 1], ["f", null, 2.5], ["int64", null, 5]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %w = tensor.insert %f into %t[%i] : tensor<8xf32>
  %r = tensor.insert_slice %w into %w[7] [8] [-1] : tensor<8xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
