// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [6], 1], ["f", null, 2.5]]]
func.func @main(%u: tensor<6xf32>, %f: f32) -> (tensor<6xf32>, tensor<6xf32>) {
  %v = tensor.extract_slice %u[0] [6] [1] : tensor<6xf32> to tensor<6xf32>
  %s = tensor.extract_slice %v[5] [6] [-1] : tensor<6xf32> to tensor<6xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%v : tensor<6xf32>) outs(%s : tensor<6xf32>) {
  ^bb0(%e32: f32, %e33: f32):
  %v35 = arith.addf %e32, %f : f32
  linalg.yield %v35 : f32
  } -> tensor<6xf32>
  %v36 = tensor.insert_slice %v31 into %v[5] [6] [-1] : tensor<6xf32> into tensor<6xf32>
  return %v36, %u : tensor<6xf32>, tensor<6xf32>
}
