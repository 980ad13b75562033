// arguments: [[1, 2], 9]
// right: [10]
// why: iterations of scf.parallel write in place what other iterations read
func.func @main(%t: tensor<2xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%zero) -> f32 {
    %w = tensor.insert %f into %t[%i] : tensor<2xf32>
    %e = tensor.extract %w[%c0] : tensor<2xf32>
    scf.reduce(%e : f32) {
    ^bb0(%p: f32, %q: f32):
      %y = arith.addf %p, %q : f32
      scf.reduce.return %y : f32
    }
  }
  return %s : f32
}
