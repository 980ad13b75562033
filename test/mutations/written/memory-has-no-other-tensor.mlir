// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [4], 1], ["float32", [4], 9]]]
func.func @main(%m: memref<4xf32>, %n: memref<4xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %b = bufferization.to_tensor %n restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = tensor.extract %t[%c1] : tensor<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return %y : f32
}
