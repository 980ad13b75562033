// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["int64", null, 2]], [["float32", [8], 1], ["int64", null, 1]], [["float32", [8], 1], ["int64", null, 0]]]
ml_program.global private mutable @s(dense<1.0> : tensor<8xf32>) : tensor<8xf32>
ml_program.global private mutable @r(dense<2.0> : tensor<8xf32>) : tensor<8xf32>
func.func @main(%t: tensor<8xf32>, %n: index) -> (f32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%k = %t) -> (tensor<8xf32>) {
    %a = ml_program.global_load @s : tensor<8xf32>
    %b = ml_program.global_load @r : tensor<8xf32>
    ml_program.global_store @r = %a : tensor<8xf32>
    ml_program.global_store @s = %b : tensor<8xf32>
    %e = tensor.extract %a[%i] : tensor<8xf32>
    %m = tensor.insert %e into %k[%i] : tensor<8xf32>
    scf.yield %m : tensor<8xf32>
  }
  %b = ml_program.global_load @s : tensor<8xf32>
  %e = tensor.extract %b[%c0] : tensor<8xf32>
  return %e, %l : f32, tensor<8xf32>
}
