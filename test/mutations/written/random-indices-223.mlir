// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=bottom-up-from-terminators}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 2], ["int64", null, 3]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 3], ["int64", null, 1]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 4], ["int64", null, 2]]]
func.func @main(%t: tensor<24xf32>, %s: tensor<4xf32>, %f: f32, %n: index, %m: index) -> (tensor<24xf32>, f32) {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v1 = arith.constant 3 : index
  %v2 = arith.constant 6 : index
  %v3 = arith.constant 1 : index
  %r:2 = scf.for %i = %v1 to %v2 step %v3 iter_args(%a = %t, %x = %z) -> (tensor<24xf32>, f32) {
  %v4 = arith.constant 0 : index
  %v5 = arith.constant 4 : index
  %v6 = arith.constant 1 : index
  %q:2 = scf.for %j = %v4 to %v5 step %v6 iter_args(%b = %a, %y = %x) -> (tensor<24xf32>, f32) {
  %v7 = arith.index_cast %j : index to i32
  %v8 = arith.sitofp %v7 : i32 to f32
  %g = arith.addf %v8, %f : f32
  %v9 = arith.constant 1 : index
  %v10 = arith.remsi %j, %v9 : index
  %v11 = tensor.insert %g into %b[%v10] : tensor<24xf32>
  %v12 = arith.muli %i, %j : index
  %v13 = tensor.extract_slice %t[%v12] [3] [3] : tensor<24xf32> to tensor<3xf32>
  %v14 = arith.constant 0 : index
  %v15 = tensor.extract %v13[%v14] : tensor<3xf32>
  %v16 = arith.addf %y, %v15 : f32
  %v17 = arith.constant 1 : index
  %v18 = tensor.extract %v13[%v17] : tensor<3xf32>
  %v19 = arith.addf %v16, %v18 : f32
  %v20 = arith.constant 2 : index
  %v21 = tensor.extract %v13[%v20] : tensor<3xf32>
  %v22 = arith.addf %v19, %v21 : f32
  scf.yield %v11, %v22 : tensor<24xf32>, f32
  }
  scf.yield %q#0, %q#1 : tensor<24xf32>, f32
  }
  return %r#0, %r#1 : tensor<24xf32>, f32
}
