// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["bool", null, true]], [["float32", [8], 1], ["bool", null, false]], [["float32", [8], 1], ["bool", null, true]]]
ml_program.global private mutable @s(dense<7.0> : tensor<8xf32>) : tensor<8xf32>
func.func @main(%t: tensor<8xf32>, %p: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %x = scf.if %p -> (tensor<8xf32>) {
    %a = ml_program.global_load @s : tensor<8xf32>
    scf.yield %a : tensor<8xf32>
  } else {
    scf.yield %t : tensor<8xf32>
  }
  ml_program.global_store @s = %t : tensor<8xf32>
  %e = tensor.extract %x[%c0] : tensor<8xf32>
  return %e : f32
}
