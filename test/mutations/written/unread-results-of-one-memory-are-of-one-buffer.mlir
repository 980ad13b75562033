// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<4xf32> {
  %a = tensor.extract_slice %t[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %g:3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      outs(%a, %b, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %f, %f, %y : f32, f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %g#2 : tensor<4xf32>
}
