// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 100]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %five = arith.constant 5.0 : f32
  %r:2 = scf.forall (%i) in (8) shared_outs(%o = %t, %p = %u) -> (tensor<8xf32>, tensor<8xf32>) {
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32

    %d = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %e = tensor.extract %d[%c0] : tensor<1xf32>
    %last = arith.cmpi eq, %i, %c7 : index
    %k = arith.select %last, %five, %e : f32
    %h = tensor.from_elements %k : tensor<1xf32>
    %q = tensor.from_elements %e : tensor<1xf32>
    %s = tensor.extract_slice %o[7] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %v = linalg.fill ins(%five : f32) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %v into %o[7] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %q into %p[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
