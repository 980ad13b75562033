// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %w: tensor<4x2xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %si = arith.constant dense<[[1],[3]]> : tensor<2x1xindex>
%s = arith.constant dense<[5.0,6.0]> : tensor<2xf32>
  %x = tensor.scatter %s into %u[%si] scatter_dims([0]) unique : (tensor<2xf32>, tensor<8xf32>, tensor<2x1xindex>) -> tensor<8xf32>
  %y = linalg.fill ins(%f : f32) outs(%u : tensor<8xf32>) -> tensor<8xf32>
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}
