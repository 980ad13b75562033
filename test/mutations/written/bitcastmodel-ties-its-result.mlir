// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [4, 2], 201], ["f", null, 102.5]]]
func.func @main(%t: tensor<8xf32>, %u0: tensor<8xf32>, %w: tensor<4x2xf32>, %f: f32) -> (f32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tensor.insert %f into %u0[%c1] : tensor<8xf32>
  %x = tensor.bitcast %u : tensor<8xf32> to tensor<8xf32>
  %b = tensor.insert %f into %u[%c0] : tensor<8xf32>
  %e = tensor.extract %x[%c0] : tensor<8xf32>
  return %e, %b : f32, tensor<8xf32>
}
