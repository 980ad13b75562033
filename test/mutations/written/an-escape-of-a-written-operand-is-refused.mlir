// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m = bufferization.to_buffer %a : tensor<8xf32> to memref<8xf32>
  %g = arith.negf %f : f32
  memref.store %g, %m[%c0] : memref<8xf32>
  %y = tensor.extract %a[%c0] : tensor<8xf32>
  %x = memref.load %m[%c0] : memref<8xf32>
  return %x, %y : f32, f32
}
