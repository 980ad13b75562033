// arguments: [[1, 2]]
// right: [[1, 2]]
// message: global op must have a value
// why: a global that is stored to first needs no value
ml_program.global private mutable @g : tensor<2xf32>
func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {
  ml_program.global_store @g = %t : tensor<2xf32>
  %0 = ml_program.global_load @g : tensor<2xf32>
  return %0 : tensor<2xf32>
}
