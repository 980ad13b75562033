// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["f", null, 99.5], ["f", null, 100.5]], [["f", null, 99.5], ["f", null, 100.5]], [["f", null, 99.5], ["f", null, 100.5]]]
func.func private @two(%f: f32) -> (tensor<8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %x, %y : tensor<8xf32>, tensor<4xf32>
}
func.func @main(%f: f32, %g: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %a, %b = call @two(%f) : (f32) -> (tensor<8xf32>, tensor<4xf32>)
  %i = tensor.insert %g into %a[%c0] : tensor<8xf32>
  %e = tensor.extract %b[%c0] : tensor<4xf32>
  return %i, %e : tensor<8xf32>, f32
}
