// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 1.5], ["int64", null, 2]]]
func.func @main(%d: tensor<8xf32>, %f: f32, %n: index) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %o = arith.addi %n, %c1 : index
  %w = tensor.insert_slice %x into %d[%o] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %w : tensor<8xf32>
}
