// passes: inplace-remove-outs-dependency,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 4], ["int64", null, 5], ["int64", null, 3], ["bool", null, true], ["bool", null, true], ["float32", [5], 1], ["float32", [5], 18]], [["int64", null, 0], ["int64", null, 0], ["int64", null, 1], ["bool", null, false], ["bool", null, true], ["float32", [0], 0], ["float32", [0], 0]], [["int64", null, 1], ["int64", null, 1], ["int64", null, 0], ["bool", null, true], ["bool", null, false], ["float32", [1], 11], ["float32", [1], 28]]]
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v1: tensor<?xf32> {bufferization.writable = true}, %v2: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c2_3 = arith.constant 2 : index
  %v4 = arith.minsi %m, %c2_3 : index
  %v5 = tensor.extract_slice %v1[0] [%v4] [1] : tensor<?xf32> to tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
     outs(%v5 : tensor<?xf32>) {
  ^bb0(%e7: f32):
  %v8 = arith.constant 9.0 : f32
  %v9 = arith.subf %e7, %v8 : f32
  linalg.yield %v9 : f32
  } -> tensor<?xf32>
  %v10 = tensor.insert_slice %v6 into %v1[0] [%v4] [1] : tensor<?xf32> into tensor<?xf32>
  %v11 = arith.truncf %v6 : tensor<?xf32> to tensor<?xf16>
  %v12 = tensor.extract_slice %v5[0] [%v4] [1] : tensor<?xf32> to tensor<?xf32>
  %v13 = tensor.extract_slice %v12[0] [%v4] [1] : tensor<?xf32> to tensor<?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
     ins(%v5 : tensor<?xf32>) outs(%v13 : tensor<?xf32>) {
  ^bb0(%e15: f32, %e16: f32):
  %v17 = arith.constant 4.0 : f32
  %v18 = arith.maximumf %e15, %v17 : f32
  linalg.yield %v18 : f32
  } -> tensor<?xf32>
  %v19 = tensor.insert_slice %v14 into %v12[0] [%v4] [1] : tensor<?xf32> into tensor<?xf32>
  %v20 = tensor.insert_slice %v19 into %v5[0] [%v4] [1] : tensor<?xf32> into tensor<?xf32>
  %v21 = math.floor %v14 : tensor<?xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
     outs(%v12 : tensor<?xf32>) {
  ^bb0(%e23: f32):
  %v24 = arith.constant 51.0 : f32
  linalg.yield %v24 : f32
  } -> tensor<?xf32>
  %v25 = tensor.expand_shape %v19 [[0, 1]] output_shape [%v4, 1] : tensor<?xf32> into tensor<?x1xf32>
  %v26 = tensor.bitcast %v12 : tensor<?xf32> to tensor<?xi32>
  %v27 = tensor.bitcast %v26 : tensor<?xi32> to tensor<?xf32>
  %v28 = arith.subf %v14, %v22 : tensor<?xf32>
  return %v1, %v28 : tensor<?xf32>, tensor<?xf32>
}
