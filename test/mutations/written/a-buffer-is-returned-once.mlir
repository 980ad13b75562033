// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 1], ["f", null, 100.5]], [["int64", null, 0], ["f", null, 100.5]], [["int64", null, 2], ["f", null, 100.5]]]
func.func @f(%x: f32) -> (tensor<4xf32>, tensor<4xf32>) attributes {no_inline} {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %b, %b : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%i: index, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %r:2 = call @f(%f) : (f32) -> (tensor<4xf32>, tensor<4xf32>)
  %a = tensor.extract %r#0[%c1] : tensor<4xf32>
  %b = tensor.extract %r#1[%c1] : tensor<4xf32>
  return %a, %b : f32, f32
}
