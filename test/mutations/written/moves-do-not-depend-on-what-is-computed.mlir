// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [2], 100], ["int64", null, 2], ["f", null, 1.5]]]
func.func @main(%d: tensor<8xf32>, %a: tensor<2xf32>, %n: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %x = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<?xf32>
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %w = tensor.insert_slice %x into %d[2] [%s] [1] : tensor<?xf32> into tensor<8xf32>
  return %w : tensor<8xf32>
}
