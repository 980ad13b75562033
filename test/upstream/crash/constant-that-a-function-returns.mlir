// arguments: [9]
// right: [1]
// why: what a function returns is taken for memory that may be written, so the program writes a constant when it runs
func.func private @one() -> tensor<2xf32> attributes {no_inline} {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = call @one() : () -> tensor<2xf32>
  %1 = tensor.insert %f into %0[%c0] : tensor<2xf32>
  %2 = tensor.extract %1[%c0] : tensor<2xf32>
  %3 = call @one() : () -> tensor<2xf32>
  %4 = tensor.extract %3[%c0] : tensor<2xf32>
  return %4 : f32
}
