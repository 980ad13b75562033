// passes: inplace-one-shot-bufferize{warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["float32", [4], 1], ["f", null, 1.5]]]
func.func @main(%t: tensor<4xf32>, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %w = tensor.insert %f into %t[%c1] : tensor<4xf32>
  %e = tensor.extract %w[%c1] : tensor<4xf32>
  return %e, %f : f32, f32
}
