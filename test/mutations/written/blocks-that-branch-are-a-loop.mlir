// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// protects: yes
// runs: [[["float32", [12], 1], ["f", null, 2.5]]]
func.func @main(%a: tensor<12xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %e = tensor.empty() : tensor<12xf32>
  %A = linalg.copy ins(%a : tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  cf.br ^again(%c0, %f : index, f32)
^again(%k: index, %sum: f32):
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%acc = %sum) -> (f32) {
    %x = tensor.extract %A[%i] : tensor<12xf32>
    %s = tensor.extract_slice %A[%i] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %y = arith.addf %x, %f : f32
    %g = linalg.fill ins(%y : f32) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    %n = tensor.extract %g[%c0] : tensor<1xf32>
    %m = arith.addf %n, %acc : f32
    scf.yield %m : f32
  }
  %k1 = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %k1, %c3 : index
  cf.cond_br %more, ^again(%k1, %r : index, f32), ^end
^end:
  return %r : f32
}
