// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["int64", null, 1], ["f", null, 102.5]]]
func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t, %s = %zero) -> (tensor<8xf32>, f32) {
    %e = tensor.empty() : tensor<8xf32>
    %q = tensor.extract %a[%k] : tensor<8xf32>
    %x = linalg.fill ins(%q : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %y = tensor.insert %f into %x[%i] : tensor<8xf32>
    %b = tensor.extract %x[%i] : tensor<8xf32>
    %c = tensor.extract %y[%i] : tensor<8xf32>
    %d = arith.subf %c, %b : f32
    %z = arith.addf %s, %d : f32
    scf.yield %y, %z : tensor<8xf32>, f32
  }
  return %r#0, %r#1 : tensor<8xf32>, f32
}
