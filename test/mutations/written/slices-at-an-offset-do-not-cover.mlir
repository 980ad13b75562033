// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 3]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %p = arith.subi %m, %c1 : index
  %v = tensor.extract_slice %t[0] [%m] [1] : tensor<8xf32> to tensor<?xf32>
  %w = linalg.fill ins(%f : f32) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  %e = tensor.extract %w[%c0] : tensor<?xf32>
  %s = tensor.extract_slice %u[0] [%p] [1] : tensor<8xf32> to tensor<?xf32>
  %r = tensor.insert_slice %s into %t[1] [%p] [1] : tensor<?xf32> into tensor<8xf32>
  return %r, %e : tensor<8xf32>, f32
}
