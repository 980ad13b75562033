// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
func.func @main(%m: memref<4xf32>, %f: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wrapped = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %held = tensor.insert %f into %wrapped[%c0] : tensor<4xf32>
  bufferization.materialize_in_destination %held in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %other = tensor.insert %f into %held[%c1] : tensor<4xf32>
  return %other : tensor<4xf32>
}
