// There is one thread, so it may write what it has not inserted yet, and read what it inserts at the end: upstream
// knows that, we copied both outputs.
// COUNTS: 0 0
// ARGUMENTS: 4xf32:iota 6xf32:iota 2.5
func.func @main(%t: tensor<4xf32>, %u: tensor<?xf32>, %f: f32) -> (tensor<4xf32>, tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %u, %c0 : tensor<?xf32>
  %r:2 = scf.forall (%i) in (%c1) shared_outs(%o = %t, %p = %u) -> (tensor<4xf32>, tensor<?xf32>) {
    %x = linalg.fill ins(%f : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.extract %p[%c3] : tensor<?xf32>
    %y = tensor.insert %e into %p[%i] : tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %y into %p[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  %v = tensor.extract %r#1[%c0] : tensor<?xf32>
  return %r#0, %r#1, %v : tensor<4xf32>, tensor<?xf32>, f32
}
