// passes: one-shot-bufferize{bufferize-function-boundaries=true copy-before-write=true}
// arguments: [[1, 2], 9]
// right: [1]
// why: with copy-before-write to_buffer hands out the tensor's own buffer to be written
func.func @main(%t: tensor<2xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = bufferization.to_buffer %t : tensor<2xf32> to memref<2xf32, strided<[?], offset: ?>>
  memref.store %f, %m[%c0] : memref<2xf32, strided<[?], offset: ?>>
  %0 = tensor.extract %t[%c0] : tensor<2xf32>
  return %0 : f32
}
