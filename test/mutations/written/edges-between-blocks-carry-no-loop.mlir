// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true analysis-heuristic=top-down warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["int64", null, 4], ["f", null, 103.5]], [["float32", [4], 1], ["float32", [4], 101], ["float32", [4], 201], ["int64", null, 4], ["f", null, 103.5]], [["float32", [2], 1], ["float32", [2], 101], ["float32", [2], 201], ["int64", null, 3], ["f", null, 103.5]]]
func.func @main(%t: tensor<?xf32>, %u: tensor<?xf32>, %v: tensor<?xf32>, %n: index, %f: f32) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %g = arith.addf %f, %f : f32
  cf.br ^b1(%c0, %t, %u, %f : index, tensor<?xf32>, tensor<?xf32>, f32)
^b1(%o: index, %p: tensor<?xf32>, %q: tensor<?xf32>, %acc0: f32):
  %r:4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %p, %b = %v, %c = %q, %acc = %acc0) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32) {
    %sz = arith.addi %i, %c2 : index
    %e0 = tensor.empty(%sz) : tensor<?xf32>
    %e = linalg.fill ins(%f : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
    %w = linalg.fill ins(%g : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    %y = tensor.extract %w[%c0] : tensor<?xf32>
    %x = tensor.extract %c[%c0] : tensor<?xf32>
    %s1 = arith.addf %acc, %x : f32
    %s3 = arith.addf %s1, %y : f32
    scf.yield %e, %a, %c, %s3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, f32
  }
  %o1 = arith.addi %o, %c1 : index
  %k = arith.cmpi slt, %o1, %c3 : index
  cf.cond_br %k, ^b1(%o1, %r#0, %r#0, %r#3 : index, tensor<?xf32>, tensor<?xf32>, f32), ^b2
^b2:
  return %r#3 : f32
}
