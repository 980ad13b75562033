// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// protects: yes
// runs: [[["float32", [12], 1], ["f", null, 2.5]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<12xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %e = tensor.empty() : tensor<12xf32>
  %A = linalg.copy ins(%a : tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = scf.for %i = %c0 to %c12 step %c4 iter_args(%acc = %f) -> (f32) {
    %s = tensor.extract_slice %A[%i] [4] [1] : tensor<12xf32> to tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%s : tensor<4xf32>) {
    ^bb0(%o: f32):
      %x = tensor.extract %A[%i] : tensor<12xf32>
      %y = arith.addf %x, %f : f32
      linalg.yield %y : f32
    } -> tensor<4xf32>
    %n = tensor.extract %g[%c3] : tensor<4xf32>
    %m = arith.addf %n, %acc : f32
    scf.yield %m : f32
  }
  return %r : f32
}
