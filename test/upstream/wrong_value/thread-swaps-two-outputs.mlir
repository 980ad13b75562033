// arguments: [[1, 2], [3, 4]]
// right: [[3, 4], [1, 2]]
// why: the second insertion of a thread reads what the first one has overwritten
func.func @main(%t: tensor<2xf32>, %u: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = scf.forall (%i) = (0) to (2) step (1) shared_outs(%o = %t, %q = %u) -> (tensor<2xf32>, tensor<2xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %p = tensor.extract_slice %q[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
      tensor.parallel_insert_slice %s into %q[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
