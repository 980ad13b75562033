// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false allow-unknown-ops=true}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (f32, f32) {
  %r = "test.global"() : () -> tensor<4xf32>
  %w = tensor.insert %f into %r[%i] : tensor<4xf32>
  %x = tensor.extract %w[%i] : tensor<4xf32>
  %s = "test.global"() : () -> tensor<4xf32>
  %y = tensor.extract %s[%i] : tensor<4xf32>
  return %x, %y : f32, f32
}
