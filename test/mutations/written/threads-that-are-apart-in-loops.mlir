// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.forall (%th) = (0) to (8) step (4) shared_outs(%o = %t) -> tensor<8xf32> {
    %v = tensor.extract_slice %o[%th] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %l = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %v) -> tensor<4xf32> {
      %q = tensor.extract_slice %o[%th] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %e = tensor.extract %q[%c0] : tensor<4xf32>
      %g = arith.addf %e, %f : f32
      %w = tensor.insert %g into %a[%c0] : tensor<4xf32>
      scf.yield %w : tensor<4xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %l into %o[%th] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
