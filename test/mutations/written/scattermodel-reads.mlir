// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %i = arith.constant dense<[[3],[2]]> : tensor<2x1xindex>
  %s = tensor.extract_slice %t[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %x = tensor.scatter %s into %t[%i] scatter_dims([0]) unique : (tensor<2xf32>, tensor<8xf32>, tensor<2x1xindex>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
