// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["float32", [4], 10]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %g:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%u : tensor<4xf32>) outs(%t, %t : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %x, %s : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %a = tensor.extract %g#0[%c1] : tensor<4xf32>
  %b = tensor.extract %g#1[%c1] : tensor<4xf32>
  return %a, %b : f32, f32
}
