// Neither branch yields anything that was written, so what is read of it later may be anything: the insertion copied it.
// COUNTS: 2 0
// ARGUMENTS: true 1 2.5 false
// ARGUMENTS: false 0 2.5 false
func.func @main(%c: i1, %i: index, %f: f32, %q: i1) -> (f32, f32) {
  %r = scf.if %c -> tensor<4xf32> {
    %a = bufferization.alloc_tensor() : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %b = bufferization.alloc_tensor() : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %w = tensor.insert %f into %r[%i] : tensor<4xf32>
  %x = tensor.extract %r[%i] : tensor<4xf32>
  %y = tensor.extract %w[%i] : tensor<4xf32>
  %z = arith.select %q, %x, %y : f32
  return %z, %y : f32, f32
}
