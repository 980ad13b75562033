// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=bottom-up }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["int64", null, 3], ["f", null, 102.5]], [["float32", [4], 1], ["float32", [4], 101], ["int64", null, 2], ["f", null, 102.5]], [["float32", [2], 1], ["float32", [2], 101], ["int64", null, 1], ["f", null, 102.5]]]
func.func @main(%t: tensor<?xf32>, %u: tensor<?xf32>, %n: index, %f: f32) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %g = arith.addf %f, %f : f32
  %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u, %acc = %f) -> (tensor<?xf32>, tensor<?xf32>, f32) {
    %sz = arith.addi %i, %c2 : index
    %e0 = tensor.empty(%sz) : tensor<?xf32>
    %e = linalg.fill ins(%f : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
    %w = tensor.insert %g into %a[%c0] : tensor<?xf32>
    %y = tensor.extract %w[%c0] : tensor<?xf32>
    %x = tensor.extract %b[%c0] : tensor<?xf32>
    %s1 = arith.addf %acc, %x : f32
    %s3 = arith.addf %s1, %y : f32
    scf.yield %e, %e, %s3 : tensor<?xf32>, tensor<?xf32>, f32
  }
  return %l#2 : f32
}
