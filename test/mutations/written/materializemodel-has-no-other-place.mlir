// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// refused: yes
// runs: [[["float32", [4], 1], ["float32", [4], 100], ["int64", null, 2]]]
func.func @main(%t: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %t in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
