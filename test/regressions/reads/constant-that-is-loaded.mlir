// Nothing writes the memory of the constant, only loads use it: it was copied, as to_buffer does not say read_only.
// COUNTS: 1 1
// ARGUMENTS: 2 9.5
func.func @main(%i: index, %f: f32) -> (f32, f32, f32) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %m = bufferization.to_buffer %c : tensor<4xf32> to memref<4xf32>
  %x = memref.load %m[%i] : memref<4xf32>
  %n = bufferization.to_buffer %c : tensor<4xf32> to memref<4xf32>
  memref.store %f, %n[%i] : memref<4xf32>
  %y = memref.load %n[%i] : memref<4xf32>
  %z = tensor.extract %c[%i] : tensor<4xf32>
  return %x, %y, %z : f32, f32, f32
}
