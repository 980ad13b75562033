// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %o = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>], iterator_types = ["parallel"]} outs(%o : tensor<8xf32>) {
  ^bb0(%b: f32):
    %k = linalg.index 0 : index
    %y = arith.index_cast %k : index to i32
    %g = arith.sitofp %y : i32 to f32
    %e = tensor.extract %t[%c0] : tensor<8xf32>
    %n = tensor.insert %g into %t[%c0] : tensor<8xf32>
    %x = tensor.extract %n[%c0] : tensor<8xf32>
    %s = arith.addf %e, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
