// passes: one-shot-bufferize{dialect-filter=tensor,bufferization},canonicalize,one-shot-bufferize{bufferize-function-boundaries=true}
// why: a loop that dialect-filter leaves on tensors loses its insertions, so it returns what it was given
// arguments: [[1, 2], [3, 4]]
// right: [[1, 2], [3, 4]]
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = scf.forall (%i) in (2) shared_outs(%o = %b) -> tensor<2xf32> {
    %s = tensor.extract_slice %a[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %0, %b : tensor<2xf32>, tensor<2xf32>
}
