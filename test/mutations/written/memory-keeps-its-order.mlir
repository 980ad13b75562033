// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [4], 1], ["float32", [4], 101], ["int64", null, 3]], [["float32", [4], 1], ["float32", [4], 101], ["int64", null, 2]], [["float32", [4], 1], ["float32", [4], 101], ["int64", null, 1]]]
func.func @main(%a: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = memref.load %m[%i] : memref<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return %y : f32
}
