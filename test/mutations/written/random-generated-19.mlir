// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=6}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int64", null, 4], ["int64", null, 5], ["int64", null, 2], ["bool", null, false], ["bool", null, true], ["float32", [1], 1], ["int64", [4, 3], 18], ["float32", [4], 35]], [["int64", null, 3], ["int64", null, 0], ["int64", null, 0], ["bool", null, true], ["bool", null, false], ["float32", [1], 6], ["int64", [3, 3], 23], ["float32", [3], 40]], [["int64", null, 1], ["int64", null, 1], ["int64", null, 0], ["bool", null, false], ["bool", null, true], ["float32", [1], 11], ["int64", [1, 3], 28], ["float32", [1], 45]]]
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v1: tensor<1xf32>, %v2: tensor<?x3xi64>, %v3: tensor<?xf32>) -> (tensor<?xf32>, tensor<1xf32>, tensor<?xf32>) {
  %v4 = arith.constant 62.0 : f32
  %v5 = tensor.empty() : tensor<f32>
  %v6 = linalg.fill ins(%v4 : f32) outs(%v5 : tensor<f32>) -> tensor<f32>
  %v7 = tensor.empty() : tensor<1xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
     ins(%v6, %v6 : tensor<f32>, tensor<f32>) outs(%v7 : tensor<1xf32>) {
  ^bb0(%e9: f32, %e10: f32, %e11: f32):
  %v12 = arith.addf %e10, %e9 : f32
  linalg.yield %v12 : f32
  } -> tensor<1xf32>
  %v13 = linalg.softmax dimension(0) ins(%v3 : tensor<?xf32>) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v14 = arith.constant 13 : i32
  %v15 = tensor.from_elements %v14 : tensor<i32>
  %c2_16 = arith.constant 2 : index
  %v17 = tensor.extract %v2[%i, %c2_16] : tensor<?x3xi64>
  %v18 = arith.index_cast %v17 : i64 to index
  %c4_19 = arith.constant 4 : index
  %v20 = arith.remui %v18, %c4_19 : index
  %v21 = linalg.softmax dimension(0) ins(%v8 : tensor<1xf32>) outs(%v1 : tensor<1xf32>) -> tensor<1xf32>
  %v22 = bufferization.alloc_tensor() copy(%v3) : tensor<?xf32>
  %v23 = arith.constant dense<[1, 1]> : tensor<2xi64>
  %c1_24 = arith.constant 1 : index
  %v25 = tensor.reshape %v8(%v23) : (tensor<1xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  %v26 = vector.transfer_read %v3[%i], %v4 : tensor<?xf32>, vector<2xf32>
  %c0_27 = arith.constant 0 : index
  %v28 = vector.transfer_write %v26, %v13[%c0_27] : vector<2xf32>, tensor<?xf32>
  return %v13, %v1, %v3 : tensor<?xf32>, tensor<1xf32>, tensor<?xf32>
}
