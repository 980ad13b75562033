// passes: inplace-one-shot-bufferize{erase-dead-ops=true bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 99.0], ["bool", null, true]], [["float32", [4], 1], ["f", null, 99.0], ["bool", null, false]]]
func.func @main(%t: tensor<4xf32>, %f: f32, %p: i1) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %w = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  cf.cond_br %p, ^next(%w : tensor<4xf32>), ^next(%t : tensor<4xf32>)
^next(%x: tensor<4xf32>):
  %y = tensor.extract %x[%c0] : tensor<4xf32>
  return %t, %y : tensor<4xf32>, f32
}
