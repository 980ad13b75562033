// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 3]]]
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> (tensor<8xf32>) {
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32
    %j = arith.subi %c7, %i : index
%q = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
%s = linalg.fill ins(%g : f32) outs(%q : tensor<1xf32>) -> tensor<1xf32>
%e = tensor.extract %o[%j] : tensor<8xf32>
%s2 = tensor.insert %e into %s[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s2 into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
