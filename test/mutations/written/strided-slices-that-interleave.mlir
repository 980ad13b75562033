// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["int64", null, 1], ["int64", null, 2], ["float32", [8], 201], ["f", null, 102.5]], [["int64", null, 0], ["int64", null, 1], ["float32", [8], 201], ["f", null, 102.5]], [["int64", null, 2], ["int64", null, 0], ["float32", [8], 201], ["f", null, 102.5]]]
func.func @main(%i: index, %j: index, %t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %r = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %e0 = tensor.empty() : tensor<4xf32>
  %w0 = linalg.fill ins(%f : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.insert_slice %w0 into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %n = arith.constant 3 : index
  %x = tensor.extract %r[%c0] : tensor<4xf32>
  %y = tensor.extract %r[%n] : tensor<4xf32>
  return %w, %x, %y : tensor<8xf32>, f32, f32
}
