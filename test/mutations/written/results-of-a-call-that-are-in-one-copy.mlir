// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func private @id2(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %t, %t : tensor<8xf32>, tensor<8xf32>
}
func.func @main(%t: tensor<8xf32>, %g: f32) -> (tensor<8xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %a, %b = call @id2(%t) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %i = tensor.insert %g into %a[%c0] : tensor<8xf32>
  %e = tensor.extract %b[%c0] : tensor<8xf32>
  %k = tensor.extract %t[%c0] : tensor<8xf32>
  return %i, %e, %k : tensor<8xf32>, f32, f32
}
