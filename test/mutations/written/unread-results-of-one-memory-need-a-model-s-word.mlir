// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
#id = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0) -> (3 - d0)>
func.func @main(%b: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %g:3 = linalg.generic {indexing_maps = [#reversed, #id, #id], iterator_types = ["parallel"]}
      outs(%b, %b, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %f, %f, %y : f32, f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %g#2 : tensor<4xf32>
}
