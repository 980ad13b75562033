// arguments: [[1, 2]]
// right: [[5, 6]]
// why: what ml_program.global_load gives is the memory itself, whatever is stored there before the value is used
ml_program.global private mutable @g(dense<[5.0, 6.0]> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ml_program.global_load @g : tensor<2xf32>
  ml_program.global_store @g = %t : tensor<2xf32>
  return %0 : tensor<2xf32>
}
