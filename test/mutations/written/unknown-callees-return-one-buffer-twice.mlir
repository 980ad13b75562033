// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @twice() -> (tensor<4xf32>, tensor<4xf32>) {
// tensors:  %t = arith.constant dense<3.0> : tensor<4xf32>
// tensors:  return %t, %t : tensor<4xf32>, tensor<4xf32>
// tensors:}
// memrefs:func.func @twice() -> (memref<4xf32, strided<[?], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>) {
// memrefs:  %f = arith.constant 3.0 : f32
// memrefs:  %m = memref.alloc() : memref<4xf32>
// memrefs:  linalg.fill ins(%f : f32) outs(%m : memref<4xf32>)
// memrefs:  %t = memref.cast %m : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
// memrefs:  return %t, %t : memref<4xf32, strided<[?], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>
// memrefs:}
func.func private @twice() -> (tensor<4xf32>, tensor<4xf32>)
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %a, %b = call @twice() : () -> (tensor<4xf32>, tensor<4xf32>)
  %w = tensor.insert %f into %a[%i] : tensor<4xf32>
  %x = tensor.extract %b[%i] : tensor<4xf32>
  return %w, %x : tensor<4xf32>, f32
}
