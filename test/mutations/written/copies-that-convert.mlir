// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false erase-dead-ops=true}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["f", null, 102.5]]]
func.func @main(%f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %w = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = tensor.bitcast %w : tensor<8xf32> to tensor<8xi32>
  %c = linalg.copy ins(%b : tensor<8xi32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %w, %c : tensor<8xf32>, tensor<8xf32>
}
