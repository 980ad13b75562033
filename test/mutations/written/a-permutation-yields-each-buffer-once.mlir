// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["float32", [4], 100], ["float32", [4], 200], ["int64", null, 1]], [["float32", [4], 1], ["float32", [4], 100], ["float32", [4], 200], ["int64", null, 2]], [["float32", [4], 1], ["float32", [4], 100], ["float32", [4], 200], ["int64", null, 3]], [["float32", [4], 1], ["float32", [4], 100], ["float32", [4], 200], ["int64", null, 4]]]
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z0 = arith.constant 0.0 : f32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c, %acc = %z0) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32) {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %w = tensor.insert %f into %y[%c0] : tensor<4xf32>
    %e = tensor.extract %z[%c0] : tensor<4xf32>
    %s = arith.addf %acc, %e : f32
    scf.yield %w, %x, %x, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32
  }
  return %r#3 : f32
}
