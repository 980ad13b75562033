// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @put(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
// tensors:  %x = tensor.insert %f into %t[%i] : tensor<4xf32>
// tensors:  return %x : tensor<4xf32>
// tensors:}
// memrefs:func.func @put(%t: memref<4xf32, strided<[?], offset: ?>>, %i: index, %f: f32) -> memref<4xf32, strided<[?], offset: ?>> {
// memrefs:  memref.store %f, %t[%i] : memref<4xf32, strided<[?], offset: ?>>
// memrefs:  return %t : memref<4xf32, strided<[?], offset: ?>>
// memrefs:}
func.func private @put(tensor<4xf32>, index, f32) -> tensor<4xf32>
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %w = call @put(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
  %x = tensor.extract %t[%i] : tensor<4xf32>
  return %w, %x : tensor<4xf32>, f32
}
