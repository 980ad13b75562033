// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// protects: yes
// runs: [[["int64", null, 4], ["f", null, 103.5]]]
func.func @main(%n: index, %f: f32) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %g = arith.addf %f, %f : f32
  %h = arith.addf %g, %f : f32
  %i0 = tensor.empty(%c3) : tensor<?xf32>
  %t1 = linalg.fill ins(%f : f32) outs(%i0 : tensor<?xf32>) -> tensor<?xf32>
  %i1 = tensor.empty(%c3) : tensor<?xf32>
  %t2 = linalg.fill ins(%h : f32) outs(%i1 : tensor<?xf32>) -> tensor<?xf32>
  %l:3 = scf.for %o = %c0 to %c3 step %c1 iter_args(%p1 = %t1, %p2 = %t2, %acc0 = %f) -> (tensor<?xf32>, tensor<?xf32>, f32) {
    %v0 = tensor.empty(%c3) : tensor<?xf32>
    %v1 = linalg.fill ins(%f : f32) outs(%v0 : tensor<?xf32>) -> tensor<?xf32>
    %r:5 = scf.while (%a = %p1, %b = %v1, %q = %p2, %acc = %acc0, %i = %c0) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32, index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32, index) {
      %sz = arith.addi %i, %c2 : index
      %e0 = tensor.empty(%sz) : tensor<?xf32>
      %e = linalg.fill ins(%f : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      %w = linalg.fill ins(%g : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
      %y = tensor.extract %w[%c0] : tensor<?xf32>
      %x = tensor.extract %q[%c0] : tensor<?xf32>
      %s1 = arith.addf %acc, %x : f32
      %s3 = arith.addf %s1, %y : f32
      %more = arith.cmpi slt, %i, %c2 : index
      scf.condition(%more) %e, %a, %q, %s3, %i : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32, index
    } do {
    ^bb0(%x: tensor<?xf32>, %y: tensor<?xf32>, %q1: tensor<?xf32>, %z: f32, %j: index):
      %j1 = arith.addi %j, %c1 : index
      scf.yield %x, %y, %q1, %z, %j1 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32, index
    }
    scf.yield %r#0, %r#0, %r#3 : tensor<?xf32>, tensor<?xf32>, f32
  }
  return %l#2 : f32
}
