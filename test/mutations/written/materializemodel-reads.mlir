// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 50], ["f", null, 100.5]], [["float32", [8], 1], ["float32", [8], 50], ["f", null, 100.5]], [["float32", [8], 1], ["float32", [8], 50], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %f into %t[%c0] : tensor<8xf32>
  %g = arith.negf %f : f32
  %w = linalg.fill ins(%g : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  %m = bufferization.materialize_in_destination %a in %u : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %w, %m : tensor<8xf32>, tensor<8xf32>
}
