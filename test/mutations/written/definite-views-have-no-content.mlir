// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["bool", null, false], ["f", null, 100.5]]]
func.func private @either(%e: tensor<4xf32>, %p: i1, %f: f32) -> tensor<4xf32> attributes {no_inline} {
  %r = scf.if %p -> tensor<4xf32> {
    scf.yield %e : tensor<4xf32>
  } else {
    %n = tensor.splat %f : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @main(%p: i1, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = call @either(%e, %p, %f) : (tensor<4xf32>, i1, f32) -> tensor<4xf32>
  %w = tensor.insert %g into %r[%c1] : tensor<4xf32>
  %x = tensor.extract %r[%c1] : tensor<4xf32>
  %y = tensor.extract %w[%c1] : tensor<4xf32>
  return %x, %y : f32, f32
}
