// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["int64", null, 1], ["float32", [4], 101], ["float32", [4, 4], 201]], [["int64", null, 0], ["float32", [4], 101], ["float32", [4, 4], 201]], [["int64", null, 2], ["float32", [4], 101], ["float32", [4, 4], 201]]]
func.func @main(%n: index, %s0: tensor<4xf32>, %t: tensor<4x4xf32>) -> (tensor<4x4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0,d0)>], iterator_types = ["parallel"]}
    ins(%s0 : tensor<4xf32>) outs(%t : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %b: f32):
      linalg.yield %a0 : f32
    } -> tensor<4x4xf32>
  %e = tensor.extract %t[%c1, %c1] : tensor<4x4xf32>
  return %x, %e : tensor<4x4xf32>, f32
}
