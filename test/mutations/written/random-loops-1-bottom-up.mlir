// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=bottom-up  }
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 0], ["bool", null, true]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 2], ["bool", null, false]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 3], ["bool", null, true]]]
#id = affine_map<(d0) -> (d0)>
func.func private @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.extract %y[%c2] : tensor<8xf32>
  %r = tensor.insert %e into %x[%c2] : tensor<8xf32>
  return %r, %y : tensor<8xf32>, tensor<8xf32>
}

func.func @main(%a: tensor<8xf32> {bufferization.writable = true}, %b: tensor<8xf32> {bufferization.writable = true}, %c: tensor<8xf32> {bufferization.writable = true}, %n: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v1:1 = scf.forall (%v2) = (0) to (8) step (4) shared_outs(%v3 = %a) -> (tensor<8xf32>) {
    %v4 = tensor.extract_slice %v3[%v2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %v5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v4 : tensor<4xf32>) outs(%v4 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<4xf32>
    %v6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v4 : tensor<4xf32>) outs(%v4 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v6 into %v3[%v2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  %v7:2 = func.call @callee(%k, %b) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %v8:2 = scf.for %v11 = %c0 to %n step %c1 iter_args(%v9 = %k, %v10 = %k) -> (tensor<8xf32>, tensor<8xf32>) {
    %v12 = scf.if %p -> (tensor<8xf32>) {
      %v13 = tensor.extract_slice %v7#1[%v11] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %v15 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v13 : tensor<4xf32>) outs(%v13 : tensor<4xf32>) {
        ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
        linalg.yield %s : f32 } -> tensor<4xf32>
      %v14 = tensor.insert_slice %v15 into %v7#1[%v11] [4] [1] : tensor<4xf32> into tensor<8xf32>
      scf.yield %v9 : tensor<8xf32>
    } else {
      %v16 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v7#0 : tensor<8xf32>) outs(%a : tensor<8xf32>) {
        ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %x : f32
        linalg.yield %s : f32 } -> tensor<8xf32>
      scf.yield %v10 : tensor<8xf32>
    }
    %v17:2 = scf.for %v20 = %c0 to %c4 step %c1 iter_args(%v18 = %v10, %v19 = %v7#1) -> (tensor<8xf32>, tensor<8xf32>) {
      %v21 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v10 : tensor<8xf32>) outs(%v19 : tensor<8xf32>) {
        ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
        linalg.yield %s : f32 } -> tensor<8xf32>
      %v22 = bufferization.materialize_in_destination %v12 in %v7#1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %v23 = bufferization.materialize_in_destination %v21 in %v18 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %b, %v19 : tensor<8xf32>, tensor<8xf32>
    }
    scf.yield %v10, %v17#0 : tensor<8xf32>, tensor<8xf32>
  }
  %v24 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%v8#1 : tensor<8xf32>) outs(%v7#0 : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
    linalg.yield %s : f32 } -> tensor<8xf32>
  %v25 = tensor.insert %f into %v8#1[%c4] : tensor<8xf32>
  %v26 = arith.select %p, %v24, %v8#0 : tensor<8xf32>
  return %v24, %v24 : tensor<8xf32>, tensor<8xf32>
}
