// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.forall (%i) in (8) shared_outs(%o = %t, %p = %t) -> (tensor<8xf32>, tensor<8xf32>) {
    %j = arith.subi %c7, %i : index
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32
    %s = tensor.from_elements %g : tensor<1xf32>
    %w = tensor.from_elements %f : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %w into %p[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
