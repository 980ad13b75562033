// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["f", null, 101.5]], [["float32", [8], 1], ["f", null, 100.5], ["f", null, 101.5]], [["float32", [8], 1], ["f", null, 100.5], ["f", null, 101.5]]]
ml_program.global private mutable @s(dense<7.0> : tensor<8xf32>) : tensor<8xf32>
func.func @main(%t: tensor<8xf32>, %f: f32, %g: f32) -> (f32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %f into %t[%c0] : tensor<8xf32>
  %i = tensor.insert %g into %a[%c0] : tensor<8xf32>
  ml_program.global_store @s = %a : tensor<8xf32>
  %b = ml_program.global_load @s : tensor<8xf32>
  %e = tensor.extract %b[%c0] : tensor<8xf32>
  return %e, %i : f32, tensor<8xf32>
}
