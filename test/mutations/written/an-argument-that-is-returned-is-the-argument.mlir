// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
func.func @same(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}
func.func @main(%given: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %t = linalg.copy ins(%given : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %same = func.call @same(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %slice = tensor.extract_slice %t[1] [1] [1] : tensor<4xf32> to tensor<1xf32>
  %update = linalg.fill ins(%f : f32) outs(%slice : tensor<1xf32>) -> tensor<1xf32>
  %r = tensor.insert_slice %update into %same[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}
