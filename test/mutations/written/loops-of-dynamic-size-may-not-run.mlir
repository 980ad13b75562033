// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["int64", null, 1], ["float32", [4, 8], 101], ["float32", [4], 201]], [["int64", null, 0], ["float32", [4, 8], 101], ["float32", [4], 201]], [["int64", null, 2], ["float32", [4, 8], 101], ["float32", [4], 201]]]
func.func @main(%n: index, %s0: tensor<4x8xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = tensor.extract_slice %s0[0,0][4,%n][1,1] : tensor<4x8xf32> to tensor<4x?xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0)>], iterator_types = ["parallel","reduction"]}
    ins(%q : tensor<4x?xf32>) outs(%t : tensor<4xf32>) {
    ^bb0(%a0: f32, %b: f32):
      linalg.yield %a0 : f32
    } -> tensor<4xf32>
  %e = tensor.extract %t[%c1] : tensor<4xf32>
  return %x, %e : tensor<4xf32>, f32
}
