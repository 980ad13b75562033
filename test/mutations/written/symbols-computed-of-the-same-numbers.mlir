// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %f) -> f32 {
    %o = arith.minsi %k, %c7 : index
    %w = tensor.insert %a into %t[%o] : tensor<8xf32>
    %x = tensor.extract %w[%c0] : tensor<8xf32>
    scf.yield %x : f32
  }
  return %r : f32
}
