// arguments: []
// right: [[5, 6]]
// message: op was not bufferized
// why: ml_program.global_load_const has no model
ml_program.global private @g(dense<[5.0, 6.0]> : tensor<2xf32>) : tensor<2xf32>
func.func @main() -> tensor<2xf32> {
  %0 = ml_program.global_load_const @g : tensor<2xf32>
  return %0 : tensor<2xf32>
}
