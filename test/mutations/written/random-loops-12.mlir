// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=6}
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

func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %n: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v4:2 = scf.while (%v5 = %c0, %v1 = %c, %v2 = %a) : (index, tensor<8xf32>, tensor<8xf32>) -> (index, tensor<8xf32>) {
    %v11:3 = scf.while (%v12 = %c0, %v8 = %b) : (index, tensor<8xf32>) -> (index, tensor<8xf32>, tensor<8xf32>) {
      %v15:2 = func.call @callee(%v1, %c) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      %v16 = linalg.fill ins(%f : f32) outs(%v8 : tensor<8xf32>) -> tensor<8xf32>
      %v17 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%b : tensor<8xf32>) outs(%v8 : tensor<8xf32>) {
        ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %x : f32
        linalg.yield %s : f32 } -> tensor<8xf32>
      %v14 = arith.cmpi slt, %v12, %c4 : index
      scf.condition(%v14) %v12, %v8, %v17 : index, tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%v13: index, %v9: tensor<8xf32>, %v10: tensor<8xf32>):
      %v18 = arith.addi %v13, %c1 : index
      scf.yield %v18, %v2 : index, tensor<8xf32>
    }
    %v7 = arith.cmpi slt, %v5, %c4 : index
    scf.condition(%v7) %v5, %v1 : index, tensor<8xf32>
  } do {
  ^bb0(%v6: index, %v3: tensor<8xf32>):
    %v24:3 = scf.while (%v25 = %c0, %v19 = %b, %v20 = %c, %v21 = %k) : (index, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (index, tensor<8xf32>, tensor<8xf32>) {
      %v28 = bufferization.materialize_in_destination %v3 in %v20 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %v29 = arith.select %p, %v20, %v28 : tensor<8xf32>
      %v27 = arith.cmpi slt, %v25, %c4 : index
      scf.condition(%v27) %v25, %v20, %v19 : index, tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%v26: index, %v22: tensor<8xf32>, %v23: tensor<8xf32>):
      %v30 = arith.addi %v26, %c1 : index
      scf.yield %v30, %v22, %v22, %v22 : index, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    %v31 = arith.addi %v6, %c1 : index
    scf.yield %v31, %v3, %v3 : index, tensor<8xf32>, tensor<8xf32>
  }
  %v32 = tensor.expand_shape %b [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %v34 = tensor.insert %f into %v32[%c0, %c0] : tensor<2x4xf32>
  %v33 = tensor.collapse_shape %v34 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %v35 = tensor.insert %f into %v4#1[%c4] : tensor<8xf32>
  %v36:1 = scf.forall (%v37) = (0) to (8) step (4) shared_outs(%v38 = %v35) -> (tensor<8xf32>) {
    %v39 = tensor.extract_slice %v38[%v37] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %v43:2 = scf.while (%v44 = %c0, %v40 = %v38, %v41 = %c) : (index, tensor<8xf32>, tensor<8xf32>) -> (index, tensor<8xf32>) {
      %v47 = tensor.insert %f into %v35[%c4] : tensor<8xf32>
      %v46 = arith.cmpi slt, %v44, %n : index
      scf.condition(%v46) %v44, %v47 : index, tensor<8xf32>
    } do {
    ^bb0(%v45: index, %v42: tensor<8xf32>):
      %v48 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v33 : tensor<8xf32>) outs(%v42 : tensor<8xf32>) {
        ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %x : f32
        linalg.yield %s : f32 } -> tensor<8xf32>
      %v49 = arith.addi %v45, %c1 : index
      scf.yield %v49, %v42, %v48 : index, tensor<8xf32>, tensor<8xf32>
    }
    %v50 = tensor.insert_slice %v39 into %v33[%n] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %v51 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v39 : tensor<4xf32>) outs(%v39 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %x : f32
      linalg.yield %s : f32 } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v51 into %v38[%v37] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  %v52 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%b : tensor<8xf32>) outs(%a : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
    linalg.yield %s : f32 } -> tensor<8xf32>
  %v53 = vector.transfer_read %v52[%n], %f : tensor<8xf32>, vector<4xf32>
  %v54 = vector.transfer_write %v53, %v33[%c4] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  return %v54, %v35 : tensor<8xf32>, tensor<8xf32>
}
