// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 0], ["bool", null, true]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 2], ["bool", null, false]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 3], ["bool", null, true]]]
#id = affine_map<(d0) -> (d0)>
func.func private @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.extract %y[%c2] : tensor<8xf32>
  %r = tensor.insert %e into %x[%c2] : tensor<8xf32>
  return %r, %y : tensor<8xf32>, tensor<8xf32>
}

func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %n: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v1 = tensor.empty() : tensor<8xf32>
  %v2 = linalg.fill ins(%f : f32) outs(%v1 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = scf.if %p -> (tensor<8xf32>) {
    scf.yield %v2 : tensor<8xf32>
  } else {
    %v4 = linalg.fill ins(%f : f32) outs(%k : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %c : tensor<8xf32>
  }
  %v5 = scf.if %p -> (tensor<8xf32>) {
    %v6 = arith.select %p, %b, %b : tensor<8xf32>
    %v7 = tensor.empty() : tensor<8xf32>
    %v8 = linalg.fill ins(%f : f32) outs(%v7 : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %k : tensor<8xf32>
  } else {
    %v9 = tensor.extract_slice %k[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %v11 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v9 : tensor<4xf32>) outs(%v9 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<4xf32>
    %v10 = tensor.insert_slice %v11 into %k[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %v12 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%k : tensor<8xf32>) outs(%b : tensor<8xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<8xf32>
    scf.yield %v10 : tensor<8xf32>
  }
  %v13 = tensor.extract_slice %v3[%c0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %v15 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%v13 : tensor<4xf32>) outs(%v13 : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
    linalg.yield %s : f32 } -> tensor<4xf32>
  %v14 = tensor.insert_slice %v15 into %v3[%c0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %v16 = tensor.insert_slice %v13 into %v3[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %v17:2 = scf.for %v20 = %c0 to %c4 step %c1 iter_args(%v18 = %v16, %v19 = %v5) -> (tensor<8xf32>, tensor<8xf32>) {
    %v21 = bufferization.materialize_in_destination %v19 in %v16 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %v22 = tensor.insert_slice %v13 into %v18[%c4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %v21, %v22 : tensor<8xf32>, tensor<8xf32>
  }
  return %v17#1, %a : tensor<8xf32>, tensor<8xf32>
}
