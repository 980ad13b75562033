// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [4], 1], ["f", null, 100.5]], [["float32", [4], 1], ["f", null, 100.5]], [["float32", [4], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %i = arith.constant dense<[[3], [2], [1], [0]]> : tensor<4x1xindex>
  %c = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
  %r = tensor.scatter %c into %c[%i] scatter_dims([0]) unique : (tensor<4xf32>, tensor<4xf32>, tensor<4x1xindex>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
