// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=top-down}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [3], 100], ["bool", null, true], ["f", null, 50.5]], [["float32", [8], 1], ["float32", [3], 100], ["bool", null, false], ["f", null, 50.5]]]
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %p: i1, %f: f32) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %acc = %z) -> (tensor<?xf32>, f32) {
    %s = scf.if %p -> tensor<?xf32> {
      scf.yield %x : tensor<?xf32>
    } else {
      scf.yield %b : tensor<?xf32>
    }
    %y = tensor.insert %f into %s[%c0] : tensor<?xf32>
    %e = tensor.extract %x[%c0] : tensor<?xf32>
    %q = arith.addf %acc, %e : f32
    scf.yield %y, %q : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?xf32>, f32
}
