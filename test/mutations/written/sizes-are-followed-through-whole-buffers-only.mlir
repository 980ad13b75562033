// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=top-down}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["int64", null, 3], ["f", null, 50.5]]]
func.func @main(%a: tensor<?xf32>, %m: index, %f: f32) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %acc = %z) -> (tensor<?xf32>, f32) {
    %s = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    %y = tensor.insert %f into %s[%c0] : tensor<?xf32>
    %e = tensor.extract %x[%c0] : tensor<?xf32>
    %q = arith.addf %acc, %e : f32
    scf.yield %y, %q : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?xf32>, f32
}
