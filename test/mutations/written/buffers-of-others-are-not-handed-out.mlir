// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["f", null, 100.5]]]
func.func private @hand_out(%t: tensor<4xf32>) -> memref<4xf32, strided<[?], offset: ?>> attributes {no_inline} {
  %m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  return %m : memref<4xf32, strided<[?], offset: ?>>
}
func.func @main(%f: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = call @hand_out(%t) : (tensor<4xf32>) -> memref<4xf32, strided<[?], offset: ?>>
  %u = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  memref.store %z, %m[%c1] : memref<4xf32, strided<[?], offset: ?>>
  %x = tensor.extract %u[%c1] : tensor<4xf32>
  return %x : f32
}
