// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["int64", null, 1], ["float32", [8], 101], ["f", null, 101.5]], [["int64", null, 0], ["float32", [8], 101], ["f", null, 101.5]], [["int64", null, 2], ["float32", [8], 101], ["f", null, 101.5]]]
func.func @main(%n: index, %t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = linalg.fill ins(%f : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<8xf32>, tensor<8xf32>) {
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32
    %e = tensor.extract %a[%c0] : tensor<8xf32>
    %h = arith.addf %e, %g : f32
    %c = tensor.insert %h into %b[%c0] : tensor<8xf32>
    scf.yield %c, %a : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
