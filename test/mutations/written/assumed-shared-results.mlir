// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["int64", null, 0], ["f", null, 7.5]], [["int64", null, 1], ["f", null, 7.5]], [["int64", null, 2], ["f", null, 7.5]]]
func.func private @g(%n: index, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %n, %c0 : index
  %r:2 = scf.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %k = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %k, %k : tensor<4xf32>, tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %q:2 = func.call @f(%m, %x) : (index, f32) -> (tensor<4xf32>, tensor<4xf32>)
    %y = arith.addf %x, %x : f32
    %w = tensor.insert %y into %q#0[%c0] : tensor<4xf32>
    scf.yield %w, %q#1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%n: index, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = func.call @g(%n, %x) : (index, f32) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%n: index, %x: f32) -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %r:2 = func.call @f(%n, %x) : (index, f32) -> (tensor<4xf32>, tensor<4xf32>)
  %y = arith.addf %x, %x : f32
  %w = tensor.insert %y into %r#0[%c1] : tensor<4xf32>
  %e = tensor.extract %r#1[%c1] : tensor<4xf32>
  return %w, %e : tensor<4xf32>, f32
}
