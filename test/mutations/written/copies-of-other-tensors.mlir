// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false erase-dead-ops=true}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["f", null, 102.5], ["float32", [8], 21]]]
func.func @main(%f: f32, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.copy ins(%u : tensor<8xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  return %c, %t : tensor<8xf32>, tensor<8xf32>
}
