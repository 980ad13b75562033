// arguments: [[1, 2], 9]
// right: [9]
// why: once a buffer is handed out, the next tensor that needs none of its content is computed in it
func.func @main(%t: tensor<2xf32>, %f: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = bufferization.to_buffer %t : tensor<2xf32> to memref<2xf32, strided<[?], offset: ?>>
  %u = linalg.fill ins(%f : f32) outs(%t : tensor<2xf32>) -> tensor<2xf32>
  memref.store %zero, %m[%c1] : memref<2xf32, strided<[?], offset: ?>>
  %0 = tensor.extract %u[%c1] : tensor<2xf32>
  return %0 : f32
}
