// Both results are in the copy that the call gets, so the sum may be written where it is read.
// COUNTS: 2 0
// ARGUMENTS: 2.5 3.5
func.func private @callee(%t: tensor<f32>, %f: f32) -> (tensor<f32>, tensor<f32>) {
  %x = linalg.fill ins(%f : f32) outs(%t : tensor<f32>) -> tensor<f32>
  return %x, %x : tensor<f32>, tensor<f32>
}
func.func @main(%f: f32, %g: f32) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %c:2 = call @callee(%t, %g) : (tensor<f32>, f32) -> (tensor<f32>, tensor<f32>)
  %r = linalg.add ins(%c#0, %t : tensor<f32>, tensor<f32>) outs(%c#1 : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
