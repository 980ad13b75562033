// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["int64", null, 0], ["f", null, 7.5]], [["int64", null, 1], ["f", null, 7.5]], [["int64", null, 2], ["f", null, 7.5]]]
func.func private @g(%n: index, %x: f32) -> (tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %p -> (tensor<4xf32>) {
    %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %q = func.call @f(%m, %x) : (index, f32) -> tensor<4xf32>
    %w = tensor.insert %x into %q[%c0] : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @f(%n: index, %x: f32) -> (tensor<4xf32>) {
  %r = func.call @g(%n, %x) : (index, f32) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}
func.func @main(%n: index, %x: f32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %r = func.call @f(%n, %x) : (index, f32) -> tensor<4xf32>
  %w = tensor.insert %x into %r[%c1] : tensor<4xf32>
  return %w : tensor<4xf32>
}
