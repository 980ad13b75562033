// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @look(%t: tensor<4xf32>, %i: index) -> f32 {
// tensors:  %x = tensor.extract %t[%i] : tensor<4xf32>
// tensors:  return %x : f32
// tensors:}
// memrefs:func.func @look(%t: memref<4xf32, strided<[?], offset: ?>>, %i: index) -> f32 {
// memrefs:  %x = memref.load %t[%i] : memref<4xf32, strided<[?], offset: ?>>
// memrefs:  return %x : f32
// memrefs:}
func.func private @look(tensor<4xf32>, index) -> f32
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %w = tensor.insert %f into %t[%i] : tensor<4xf32>
  %x = call @look(%t, %i) : (tensor<4xf32>, index) -> f32
  return %w, %x : tensor<4xf32>, f32
}
