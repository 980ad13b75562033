// A slice of what was materialized in a memref is returned, after something else is materialized in the same memref, as
// in programs in destination style. The slice must not be one of the memref.
// ARGUMENTS: 4xf32:iota 4xf32:zeros 1
func.func @main(%from: memref<4xf32>, %into: memref<4xf32>, %n: index) -> tensor<2xf32> {
  %f = arith.constant 5.0 : f32
  %old = bufferization.to_tensor %from restrict : memref<4xf32> to tensor<4xf32>
  %wrapped = bufferization.to_tensor %into restrict writable : memref<4xf32> to tensor<4xf32>
  %kept = bufferization.materialize_in_destination %old in %wrapped : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %slice = tensor.extract_slice %kept[%n] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.fill ins(%f : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %new in restrict writable %into : (tensor<4xf32>, memref<4xf32>) -> ()
  return %slice : tensor<2xf32>
}
