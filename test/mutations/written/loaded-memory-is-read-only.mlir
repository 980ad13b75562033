// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
ml_program.global private mutable @s(dense<1.0> : tensor<8xf32>) : tensor<8xf32>
func.func @main(%t: tensor<8xf32>, %f: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ml_program.global_load @s : tensor<8xf32>
  %i = tensor.insert %f into %a[%c0] : tensor<8xf32>
  %x = tensor.extract %i[%c1] : tensor<8xf32>
  %y = tensor.extract %i[%c0] : tensor<8xf32>
  %b = ml_program.global_load @s : tensor<8xf32>
  %e = tensor.extract %b[%c0] : tensor<8xf32>
  return %e, %x, %y : f32, f32, f32
}
