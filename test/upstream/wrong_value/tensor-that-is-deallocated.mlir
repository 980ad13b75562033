// arguments: [9]
// right: [[9, 9], [0, 0]]
// why: dealloc_tensor frees the buffer that a result lives in, and the next allocation gets that memory
func.func @main(%f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = bufferization.alloc_tensor() : tensor<2xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
  %2 = tensor.insert %f into %1[%c0] : tensor<2xf32>
  bufferization.dealloc_tensor %1 : tensor<2xf32>
  %3 = bufferization.alloc_tensor() : tensor<2xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<2xf32>) -> tensor<2xf32>
  return %2, %4 : tensor<2xf32>, tensor<2xf32>
}
