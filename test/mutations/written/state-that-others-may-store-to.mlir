// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["float32", [4], 11], ["f", null, 100.5], ["int64", null, 2]]]
// tensors:func.func @store(%t: tensor<4xf32>) {
// tensors:  ml_program.global_store @s = %t : tensor<4xf32>
// tensors:  return
// tensors:}
// memrefs:func.func @store(%t: memref<4xf32, strided<[?], offset: ?>>) {
// memrefs:  %g = memref.get_global @s : memref<4xf32>
// memrefs:  memref.copy %t, %g : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
// memrefs:  return
// memrefs:}
ml_program.global public mutable @s(dense<7.0> : tensor<4xf32>) : tensor<4xf32>
func.func private @store(tensor<4xf32>)
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index) -> (f32, f32) {
  %a = ml_program.global_load @s : tensor<4xf32>
  call @store(%u) : (tensor<4xf32>) -> ()
  %x = tensor.extract %a[%i] : tensor<4xf32>
  %b = ml_program.global_load @s : tensor<4xf32>
  %y = tensor.extract %b[%i] : tensor<4xf32>
  return %x, %y : f32, f32
}
