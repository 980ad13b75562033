// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["f", null, 9.5]]]
func.func @main(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %t, %b = %t) -> (tensor<4xf32>, tensor<4xf32>) {
    %w = tensor.insert %f into %a[%i] : tensor<4xf32>
    scf.yield %b, %w : tensor<4xf32>, tensor<4xf32>
  }
  return %l#0, %l#1 : tensor<4xf32>, tensor<4xf32>
}
