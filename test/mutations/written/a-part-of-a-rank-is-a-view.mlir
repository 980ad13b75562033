// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [4], 1], ["int64", null, 1], ["f", null, 100.5]]]
shard.grid @g(shape = 2)
func.func @main(%a: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = shard.all_slice %b on @g grid_axes = [0] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32>
  %c = linalg.fill ins(%f : f32) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %c, %s : tensor<4xf32>, tensor<2xf32>
}
