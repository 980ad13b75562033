// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1]], [["float32", [8], 1]], [["float32", [8], 1]]]
ml_program.global private mutable @s(dense<1.0> : tensor<8xf32>) : tensor<8xf32>
func.func @main(%t: tensor<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = ml_program.global_load @s : tensor<8xf32>
  %v = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  ml_program.global_store @s = %t : tensor<8xf32>
  %e = tensor.extract %v[%c0] : tensor<4xf32>
  return %e : f32
}
