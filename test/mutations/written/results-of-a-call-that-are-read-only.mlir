// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["f", null, 99.5]], [["f", null, 99.5]], [["f", null, 99.5]]]
func.func private @f(%n: index, %g: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %z -> tensor<4xf32> {
    %c = arith.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %e = func.call @f(%m, %g) : (index, f32) -> tensor<4xf32>
    %i = tensor.insert %g into %e[%c0] : tensor<4xf32>
    scf.yield %i : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @main(%g: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = call @f(%c1, %g) : (index, f32) -> tensor<4xf32>
  %a = tensor.extract %e[%c0] : tensor<4xf32>
  %d = call @f(%c0, %g) : (index, f32) -> tensor<4xf32>
  %b = tensor.extract %d[%c0] : tensor<4xf32>
  return %a, %b : f32, f32
}
