// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [4], 100]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>) -> (tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> (tensor<8xf32>) {
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32
    %s = tensor.extract_slice %u[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %w = linalg.fill ins(%g : f32) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    %e = tensor.extract %w[%c0] : tensor<1xf32>
    %q = tensor.from_elements %e : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
