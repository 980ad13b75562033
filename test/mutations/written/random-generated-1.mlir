// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 2], ["int64", null, 5], ["int64", null, 3], ["bool", null, true], ["bool", null, false], ["float32", [3, 5], 1], ["int32", [], 18]], [["int64", null, 2], ["int64", null, 0], ["int64", null, 1], ["bool", null, false], ["bool", null, true], ["float32", [3, 0], 0], ["int32", [], 23]], [["int64", null, 2], ["int64", null, 1], ["int64", null, 3], ["bool", null, true], ["bool", null, false], ["float32", [3, 1], 11], ["int32", [], 28]]]
ml_program.global private @g1(dense<11.0> : tensor<4xf16>) : tensor<4xf16>
ml_program.global private mutable @g0(dense<16.0> : tensor<2x4xf32>) : tensor<2x4xf32>
func.func private @f13(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v4: tensor<2x6xi32>, %v5: tensor<3x5xf32>, %v6: tensor<2x?x2xf32>) -> (tensor<2x6xi32>, tensor<3x5xf32>, tensor<2x?x2xf32>) {
  %v7 = arith.constant dense<[[3]]> : tensor<1x1xi64>
  %v8 = arith.constant 33.0 : f32
  %v9 = tensor.empty() : tensor<1x3x1xf32>
  %v10 = linalg.fill ins(%v8 : f32) outs(%v9 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %v11 = tensor.scatter %v10 into %v5[%v7] scatter_dims([1]) unique : (tensor<1x3x1xf32>, tensor<3x5xf32>, tensor<1x1xi64>) -> tensor<3x5xf32>
  %v12 = arith.cmpf olt, %v6, %v6 : tensor<2x?x2xf32>
  return %v4, %v11, %v6 : tensor<2x6xi32>, tensor<3x5xf32>, tensor<2x?x2xf32>
}
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v14: tensor<3x?xf32> {bufferization.writable = false}, %v15: tensor<i32> {bufferization.writable = false}) -> (tensor<i32>, tensor<3x5xf32>, tensor<2x?x2xf32>) {
  %v16 = tensor.empty(%m) : tensor<3x?xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
     outs(%v16 : tensor<3x?xf32>) {
  ^bb0(%e18: f32):
  %v19 = arith.constant 2.0 : f32
  linalg.yield %v19 : f32
  } -> tensor<3x?xf32>
  %v20 = arith.truncf %v14 : tensor<3x?xf32> to tensor<3x?xf16>
  %v21 = arith.constant 26 : i32
  %v22 = tensor.insert %v21 into %v15[] : tensor<i32>
  %v23 = arith.cmpi slt, %v15, %v15 : tensor<i32>
  %v24:2 = scf.index_switch %n -> tensor<i32>, tensor<i32>
  case 0 {
    %v25 = arith.select %v23, %v15, %v22 : tensor<i1>, tensor<i32>
    %v26 = arith.constant 67.0 : f32
    %v27 = tensor.empty() : tensor<2x4xf32>
    %v28 = linalg.fill ins(%v26 : f32) outs(%v27 : tensor<2x4xf32>) -> tensor<2x4xf32>
    ml_program.global_store @g0 = %v28 : tensor<2x4xf32>
    %v29 = arith.maxsi %v15, %v15 : tensor<i32>
    scf.yield %v15, %v15 : tensor<i32>, tensor<i32>
  }
  case 1 {
    %v30 = arith.constant 87.0 : f32
    %v31 = arith.constant 16.0 : f32
    %v32 = arith.constant 0.0 : f32
    %v33 = tensor.from_elements %v30, %v30, %v31, %v32 : tensor<2x2xf32>
    %v34 = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
       outs(%v15 : tensor<i32>) {
    ^bb0(%e35: i32):
    %v36 = arith.constant 5 : i32
    linalg.yield %v36 : i32
    } -> tensor<i32>
    scf.yield %v22, %v34 : tensor<i32>, tensor<i32>
  }
  default {
    %v37 = arith.constant 52.0 : f16
    %v38 = bufferization.alloc_tensor(%m) : tensor<2x?xf16>
    %v39 = linalg.fill ins(%v37 : f16) outs(%v38 : tensor<2x?xf16>) -> tensor<2x?xf16>
    %v40 = tensor.insert_slice %v39 into %v20[0, 0] [2, %m] [1, 1] : tensor<2x?xf16> into tensor<3x?xf16>
    %v41 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
       ins(%v15 : tensor<i32>) outs(%v15 : tensor<i32>) {
    ^bb0(%e42: i32, %e43: i32):
    %v44 = arith.addi %e42, %e43 : i32
    linalg.yield %v44 : i32
    } -> tensor<i32>
    scf.yield %v41, %v15 : tensor<i32>, tensor<i32>
  }
  %v45 = arith.subf %v17, %v17 : tensor<3x?xf32>
  %v46 = arith.constant dense<[-3.0, -2.0, -1.0]> : tensor<3xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
     ins(%v17 : tensor<3x?xf32>) outs(%v46 : tensor<3xf32>) {
  ^bb0(%e48: f32, %e49: f32):
  %v50 = arith.maximumf %e48, %e49 : f32
  linalg.yield %v50 : f32
  } -> tensor<3xf32>
  %v51 = tensor.empty() : tensor<2x6xi32>
  %v52 = linalg.fill ins(%v21 : i32) outs(%v51 : tensor<2x6xi32>) -> tensor<2x6xi32>
  %v53 = arith.constant dense<[[2.0, 3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0, 16.0]]> : tensor<3x5xf32>
  %v54 = arith.constant 39.0 : f32
  %v55 = tensor.empty(%n) : tensor<2x?x2xf32>
  %v56 = linalg.fill ins(%v54 : f32) outs(%v55 : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %v57:3 = func.call @f13(%n, %m, %i, %p, %q, %v52, %v53, %v56) : (index, index, index, i1, i1, tensor<2x6xi32>, tensor<3x5xf32>, tensor<2x?x2xf32>) -> (tensor<2x6xi32>, tensor<3x5xf32>, tensor<2x?x2xf32>)
  return %v24#0, %v53, %v57#2 : tensor<i32>, tensor<3x5xf32>, tensor<2x?x2xf32>
}
