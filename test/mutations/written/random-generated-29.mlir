// passes: inplace-remove-outs-dependency,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 4], ["int64", null, 3], ["int64", null, 3], ["bool", null, true], ["bool", null, true], ["float32", [1, 4, 4, 2], 1], ["int32", [5], 18]], [["int64", null, 2], ["int64", null, 0], ["int64", null, 1], ["bool", null, false], ["bool", null, true], ["float32", [1, 2, 2, 2], 6], ["int32", [5], 23]], [["int64", null, 2], ["int64", null, 1], ["int64", null, 3], ["bool", null, true], ["bool", null, false], ["float32", [1, 2, 2, 2], 11], ["int32", [5], 28]]]
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v1: tensor<1x?x?x2xf32>, %v2: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>, tensor<1x?x?x2xf32>) {
  %c1_3 = arith.constant 1 : index
  %c2_4 = arith.constant 2 : index
  %c3_5 = arith.constant 3 : index
  %c7_6 = arith.constant 7 : index
  %v10 = arith.addi %i, %c1_3 : index
  %v11 = arith.cmpi slt, %v10, %c7_6 : index
  cf.cond_br %v11, ^go0, ^end0
^end0:
    return %v2, %v2, %v1 : tensor<5xi32>, tensor<5xi32>, tensor<1x?x?x2xf32>
^go0:
    cf.br ^b2(%v10, %v2, %v2 : index, tensor<5xi32>, tensor<5xi32>)
^b2(%v7: index, %v8: tensor<5xi32>, %v9: tensor<5xi32>):
  %c0_12 = arith.constant 0 : index
  %v13:2 = scf.while (%v14 = %c0_12, %v16 = %v8) : (index, tensor<5xi32>) -> (index, tensor<5xi32>) {
    %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%v16 : tensor<5xi32>) outs(%v9 : tensor<5xi32>) {
    ^bb0(%e18: i32, %e19: i32):
    %v20 = arith.constant 3 : i32
    %v21 = arith.maxui %e18, %v20 : i32
    linalg.yield %v21 : i32
    } -> tensor<5xi32>
    %v22 = arith.cmpi slt, %v14, %c3_5 : index
    scf.condition(%v22) %v14, %v17 : index, tensor<5xi32>
  } do {
  ^bb0(%v15: index, %v23: tensor<5xi32>):
    %v24 = arith.constant dense<[[0]]> : tensor<1x1xindex>
    %v25 = arith.constant dense<[[36]]> : tensor<1x1xi32>
    %v26 = tensor.scatter %v25 into %v2[%v24] scatter_dims([0]) unique : (tensor<1x1xi32>, tensor<5xi32>, tensor<1x1xindex>) -> tensor<5xi32>
    %v27 = arith.addi %v15, %c1_3 : index
    scf.yield %v27, %v23 : index, tensor<5xi32>
  }
  %v28:2 = scf.if %q -> (tensor<5xi32>, tensor<5xi32>) {
    %v29 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%v2 : tensor<5xi32>) outs(%v2 : tensor<5xi32>) {
    ^bb0(%e30: i32, %e31: i32):
    %v32 = arith.constant 7 : i32
    %v33 = arith.muli %e30, %v32 : i32
    linalg.yield %v33 : i32
    } -> tensor<5xi32>
    scf.yield %v13#1, %v29 : tensor<5xi32>, tensor<5xi32>
  } else {
    %c4_34 = arith.constant 4 : index
    %v35 = bufferization.to_buffer %v13#1 read_only : tensor<5xi32> to memref<5xi32, strided<[?], offset: ?>>
    %v36 = memref.load %v35[%c4_34] : memref<5xi32, strided<[?], offset: ?>>
    %v37 = tensor.extract %v9[%c3_5] : tensor<5xi32>
    %v38 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%v2 : tensor<5xi32>) outs(%v13#1 : tensor<5xi32>) {
    ^bb0(%e39: i32, %e40: i32):
    %v41 = arith.constant 3 : i32
    %v42 = arith.minsi %e39, %v41 : i32
    linalg.yield %v42 : i32
    } -> tensor<5xi32>
    scf.yield %v9, %v38 : tensor<5xi32>, tensor<5xi32>
  }
  %v43 = arith.addi %v7, %c1_3 : index
  return %v28#0, %v9, %v1 : tensor<5xi32>, tensor<5xi32>, tensor<1x?x?x2xf32>
}
