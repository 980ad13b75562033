// passes: cse
// after: inplace-plan-bufferize{allocation=stack bufferize-function-boundaries=true}
// protects: yes
// runs: [[["f", null, 7.5]]]
func.func private @f(%x: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: f32) -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %y = arith.addf %x, %x : f32
  %a = func.call @f(%x) : (f32) -> tensor<4xf32>
  %b = func.call @f(%y) : (f32) -> tensor<4xf32>
  %v = tensor.extract %b[%c1] : tensor<4xf32>
  return %a, %v : tensor<4xf32>, f32
}
