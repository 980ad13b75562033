// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<4x4xf32>, %f: f32) -> tensor<4x4xf32> {
  %c = bufferization.alloc_tensor() copy(%t) : tensor<4x4xf32>
  %r = linalg.pack %c outer_dims_perm = [1, 0] inner_dims_pos = [] inner_tiles = [] into %c : tensor<4x4xf32> -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
