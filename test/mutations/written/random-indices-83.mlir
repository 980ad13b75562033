// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=bottom-up-from-terminators}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 2], ["int64", null, 3]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 3], ["int64", null, 1]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 4], ["int64", null, 2]]]
func.func @main(%t: tensor<24xf32>, %s: tensor<4xf32>, %f: f32, %n: index, %m: index) -> (tensor<24xf32>, f32) {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v1 = arith.constant 3 : index
  %v2 = arith.constant 5 : index
  %v3 = arith.constant 1 : index
  %r:2 = scf.for %i = %v1 to %v2 step %v3 iter_args(%a = %t, %x = %z) -> (tensor<24xf32>, f32) {
  %v4 = arith.index_cast %i : index to i32
  %v5 = arith.sitofp %v4 : i32 to f32
  %g = arith.addf %v5, %f : f32
  %v6 = tensor.extract %t[%n] : tensor<24xf32>
  %v7 = arith.addf %x, %v6 : f32
  %v13 = arith.constant 7 : index
  %v14 = arith.remsi %i, %v13 : index
  %v15 = arith.constant 4 : index
  %v16 = arith.maxsi %v14, %v15 : index
  %v17 = tensor.insert %g into %a[%v16] : tensor<24xf32>
  scf.yield %v17, %v7 : tensor<24xf32>, f32
  }
  return %r#0, %r#1 : tensor<24xf32>, f32
}
