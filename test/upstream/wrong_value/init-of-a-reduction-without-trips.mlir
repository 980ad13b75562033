// arguments: [{"shape": [2, 0]}, [1, 2]]
// right: [[1, 2], [1, 2]]
// why: an init counts as overwritten although the reduction may run no iteration
func.func @main(%a: tensor<2x?xf32>, %t: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<2x?xf32>) outs(%t : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<2xf32>
  return %0, %t : tensor<2xf32>, tensor<2xf32>
}
