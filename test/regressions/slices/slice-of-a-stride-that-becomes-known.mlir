// Three dimensions of size one are kept or dropped. The stride that is dynamic here turns out to be that of another one
// once the cast is folded: MLIR then took that one for the dropped one, and refused the subview.
// ARGUMENTS: 3x3x1x1xf32:iota
func.func @main(%t: tensor<3x3x1x1xf32>) -> tensor<3x1x1xf32> {
  %e = tensor.empty() : tensor<3x3x1x1xf32>
  %f = linalg.exp ins(%t : tensor<3x3x1x1xf32>) outs(%e : tensor<3x3x1x1xf32>) -> tensor<3x3x1x1xf32>
  %c = tensor.cast %f : tensor<3x3x1x1xf32> to tensor<?x3x?x1xf32>
  %s = tensor.extract_slice %c[0, 1, 0, 0] [3, 1, 1, 1] [1, 1, 2, 1] : tensor<?x3x?x1xf32> to tensor<3x1x1xf32>
  return %s : tensor<3x1x1xf32>
}
