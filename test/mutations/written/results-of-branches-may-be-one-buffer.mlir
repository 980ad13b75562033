// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 1], ["f", null, 100.5]], [["int64", null, 0], ["f", null, 100.5]], [["int64", null, 2], ["f", null, 100.5]]]
func.func @main(%i: index, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %i, %c1 : index
  %r:2 = scf.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %b = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b, %b : tensor<4xf32>, tensor<4xf32>
  } else {
    %g = arith.negf %f : f32
    %d = tensor.empty() : tensor<4xf32>
    %x = linalg.fill ins(%f : f32) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.fill ins(%g : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  }
  %a = tensor.extract %r#0[%c1] : tensor<4xf32>
  %b = tensor.extract %r#1[%c1] : tensor<4xf32>
  return %a, %b : f32, f32
}
