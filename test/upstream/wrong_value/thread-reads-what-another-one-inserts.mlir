// arguments: [[1, 2]]
// right: [[2, 2]]
// why: threads of one forall are not compared with each other: the second one reads what the first one inserted
func.func @main(%t: tensor<2xf32>) -> tensor<2xf32> {
  %r = scf.forall (%i) = (0) to (2) step (1) shared_outs(%o = %t) -> (tensor<2xf32>) {
    %s = tensor.extract_slice %o[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %x = linalg.add ins(%s, %s : tensor<1xf32>, tensor<1xf32>) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
}
