// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @same(%t: tensor<4xf32>) -> tensor<4xf32> {
// tensors:  return %t : tensor<4xf32>
// tensors:}
// memrefs:func.func @same(%t: memref<4xf32, strided<[?], offset: ?>>) -> memref<4xf32, strided<[?], offset: ?>> {
// memrefs:  return %t : memref<4xf32, strided<[?], offset: ?>>
// memrefs:}
func.func private @same(tensor<4xf32> {bufferization.access = "read"}) -> tensor<4xf32>
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = call @same(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %w, %r : tensor<4xf32>, tensor<4xf32>
}
