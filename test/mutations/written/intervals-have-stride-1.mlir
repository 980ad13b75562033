// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %v = tensor.extract_slice %t[0] [%n] [2] : tensor<8xf32> to tensor<?xf32>
  %w = linalg.fill ins(%f : f32) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  %e = tensor.extract %w[%c0] : tensor<?xf32>
  %x = tensor.extract %t[%n] : tensor<8xf32>
  return %x, %e : f32, f32
}
