// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 1], ["f", null, 100.5]]]
func.func @main(%i: index, %f: f32) -> (f32, f32) {
  %m = memref.alloc() : memref<4xf32>
  %w = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %0 in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %g = arith.addf %f, %f : f32
  %1 = tensor.insert %g into %0[%i] : tensor<4xf32>
  %a = memref.load %m[%i] : memref<4xf32>
  %b = tensor.extract %1[%i] : tensor<4xf32>
  memref.dealloc %m : memref<4xf32>
  return %a, %b : f32, f32
}
