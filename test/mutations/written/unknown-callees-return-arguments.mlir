// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @same(%t: tensor<4xf32>) -> tensor<4xf32> {
// tensors:  return %t : tensor<4xf32>
// tensors:}
// memrefs:func.func @same(%t: memref<4xf32, strided<[?], offset: ?>>) -> memref<4xf32, strided<[?], offset: ?>> {
// memrefs:  return %t : memref<4xf32, strided<[?], offset: ?>>
// memrefs:}
func.func private @same(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %c = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
  %r = call @same(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.insert %f into %r[%i] : tensor<4xf32>
  %x = tensor.extract %c[%i] : tensor<4xf32>
  return %w, %x : tensor<4xf32>, f32
}
