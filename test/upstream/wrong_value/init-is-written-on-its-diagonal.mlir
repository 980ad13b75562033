// arguments: [[1, 2], [[3, 4], [5, 6]]]
// right: [[[1, 4], [5, 2]], [[3, 4], [5, 6]]]
// why: an init counts as overwritten although the output map does not reach all of it, so its copy is left out
func.func @main(%d: tensor<2xf32>, %t: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
      iterator_types = ["parallel"]} ins(%d : tensor<2xf32>) outs(%t : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<2x2xf32>
  return %0, %t : tensor<2x2xf32>, tensor<2x2xf32>
}
