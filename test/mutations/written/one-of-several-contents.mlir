// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], [0.0, 1.0, 2.0, 3.0]], ["bool", null, true], ["f", null, 100.5]]]
func.func @main(%t: tensor<4xf32>, %p: i1, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %r = scf.if %p -> tensor<4xf32> {
    scf.yield %t : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %w = tensor.insert %f into %r[%c1] : tensor<4xf32>
  %x = tensor.extract %r[%c1] : tensor<4xf32>
  %y = tensor.extract %w[%c1] : tensor<4xf32>
  return %x, %y : f32, f32
}
