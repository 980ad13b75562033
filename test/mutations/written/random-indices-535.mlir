// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 2], ["int64", null, 3]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 3], ["int64", null, 1]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 4], ["int64", null, 2]]]
func.func @main(%t: tensor<24xf32>, %s: tensor<4xf32>, %f: f32, %n: index, %m: index) -> (tensor<24xf32>, f32) {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v1 = arith.constant 3 : index
  %v2 = arith.constant 15 : index
  %v3 = arith.constant 3 : index
  %r:2 = scf.for %i = %v1 to %v2 step %v3 iter_args(%a = %t, %x = %z) -> (tensor<24xf32>, f32) {
  %v4 = arith.constant 1 : index
  %v5 = arith.constant 3 : index
  %v6 = arith.constant 1 : index
  %q:2 = scf.for %j = %v4 to %v5 step %v6 iter_args(%b = %a, %y = %x) -> (tensor<24xf32>, f32) {
  %v7 = arith.index_cast %j : index to i32
  %v8 = arith.sitofp %v7 : i32 to f32
  %g = arith.addf %v8, %f : f32
  %v14 = arith.constant 3 : index
  %v15 = arith.addi %j, %v14 : index
  %v16 = tensor.insert %g into %b[%v15] : tensor<24xf32>
  %v17 = tensor.extract_slice %t[%i] [2] [2] : tensor<24xf32> to tensor<2xf32>
  %v18 = arith.constant 0 : index
  %v19 = tensor.extract %v17[%v18] : tensor<2xf32>
  %v20 = arith.addf %y, %v19 : f32
  %v21 = arith.constant 1 : index
  %v22 = tensor.extract %v17[%v21] : tensor<2xf32>
  %v23 = arith.addf %v20, %v22 : f32
  scf.yield %v16, %v23 : tensor<24xf32>, f32
  }
  scf.yield %q#0, %q#1 : tensor<24xf32>, f32
  }
  return %r#0, %r#1 : tensor<24xf32>, f32
}
