// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [16], 1], ["int64", null, 0], ["int64", null, 1], ["bool", null, false]], [["float32", [16], 1], ["int64", null, 0], ["int64", null, 1], ["bool", null, true]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<16xf32>, %i: index, %n: index, %p: i1) -> tensor<8xf32> {
  %f = arith.constant 1.0 : f32
  %a = tensor.extract_slice %t[%i] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %b = tensor.extract_slice %t[%n] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %x = scf.if %p -> tensor<8xf32> {
    %e = tensor.splat %f : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%p0: f32, %p1: f32):
    %z = arith.addf %p0, %p1 : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  return %w : tensor<8xf32>
}
