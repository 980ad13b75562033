// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false allow-unknown-ops=true}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = "test.same"(%t) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %w = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %w, %r#1 : tensor<4xf32>, tensor<4xf32>
}
