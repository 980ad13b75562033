// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d0)>, affine_map<(d0,d1)->(d1)>, affine_map<(d0,d1)->(d0)>], iterator_types = ["parallel","reduction"]} ins(%t, %u : tensor<8xf32>, tensor<8xf32>) outs(%t : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %q = arith.addf %a, %c : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
