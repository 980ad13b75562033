// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %a) -> (tensor<8xf32>) {
    %j = arith.subi %c7, %i : index
    %e = tensor.extract %o[%j] : tensor<8xf32>
    %h = arith.addf %e, %f : f32
    %s = tensor.from_elements %h : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  scf.yield %r : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}
