// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["bool", null, true], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["bool", null, false], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["bool", null, true], ["f", null, 102.5]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %p: i1, %f: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %r = scf.if %p -> tensor<8xf32> {
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %u : tensor<8xf32>
  }
  %z = tensor.insert_slice %r into %t[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
  %e = tensor.extract %z[%c0] : tensor<8xf32>
  return %z, %e : tensor<8xf32>, f32
}
