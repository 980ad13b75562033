// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false allow-unknown-ops=true}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (f32, f32) {
  %x = "test.global"() ({
  ^bb0(%a: tensor<4xf32>):
    %w = tensor.insert %f into %a[%i] : tensor<4xf32>
    %e = tensor.extract %w[%i] : tensor<4xf32>
    "test.yield"(%e) : (f32) -> ()
  }) : () -> f32
  %y = "test.global"() ({
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.extract %a[%i] : tensor<4xf32>
    "test.yield"(%e) : (f32) -> ()
  }) : () -> f32
  return %x, %y : f32, f32
}
