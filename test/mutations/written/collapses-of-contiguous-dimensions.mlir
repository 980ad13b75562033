// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [10, 3], 1], ["f", null, 100.5]], [["float32", [10, 3], 1], ["f", null, 100.5]], [["float32", [10, 3], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<10x3xf32>, %x: f32) -> tensor<10x3xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = tensor.expand_shape %f [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %r = tensor.insert_slice %y into %t[2, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}
