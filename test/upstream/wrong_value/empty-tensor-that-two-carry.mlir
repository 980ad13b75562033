// arguments: [1, 2]
// right: [1]
// why: two tensors that a loop carries get one buffer if both begin as the same tensor.empty
func.func @main(%f: f32, %g: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %r:3 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %e, %b = %e, %s = %zero) -> (tensor<1xf32>, tensor<1xf32>, f32) {
    %x = tensor.insert %f into %a[%c0] : tensor<1xf32>
    %y = tensor.insert %g into %b[%c0] : tensor<1xf32>
    %t = tensor.extract %x[%c0] : tensor<1xf32>
    scf.yield %x, %y, %t : tensor<1xf32>, tensor<1xf32>, f32
  }
  return %r#2 : f32
}
