// arguments: [[1, 2]]
// right: [[]]
// message: offset 0 is out-of-bounds: 0 >= 0
// passes: one-shot-bufferize{bufferize-function-boundaries=true},canonicalize
// why: once the size folds to 0, the first offset of the second slice counts as out of bounds
func.func @main(%t: tensor<2xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %t[0] [%c0] [1] : tensor<2xf32> to tensor<?xf32>
  %1 = tensor.extract_slice %0[0] [%c0] [2] : tensor<?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
