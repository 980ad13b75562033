// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["int64", null, 4], ["f", null, 1.5]]]
func.func private @f(%t: tensor<?xf32>, %f: f32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %x = linalg.fill ins(%f : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%d: tensor<8xf32>, %n: index, %f: f32) -> tensor<8xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = func.call @f(%e, %f) : (tensor<?xf32>, f32) -> tensor<4xf32>
  %w = tensor.insert_slice %r into %d[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %w : tensor<8xf32>
}
