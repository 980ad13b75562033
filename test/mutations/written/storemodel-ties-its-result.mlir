// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %vv = arith.constant dense<5.0> : vector<4xf32>
  %s = tensor.extract_slice %u[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %x = vector.transfer_write %vv, %u[%c0] : vector<4xf32>, tensor<8xf32>
  %b = tensor.insert %f into %x[%c5] : tensor<8xf32>
  %e = tensor.extract %s[%c1] : tensor<4xf32>
  return %b, %e : tensor<8xf32>, f32
}
