// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false erase-dead-ops=true}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 102.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %w = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %w, %t : tensor<8xf32>, tensor<8xf32>
}
