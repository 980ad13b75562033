// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=bottom-up-from-terminators}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 2], ["int64", null, 3]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 3], ["int64", null, 1]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 4], ["int64", null, 2]]]
module {
  func.func @main(%arg0: tensor<24xf32>, %arg1: tensor<4xf32>, %arg2: f32, %arg3: index, %arg4: index) -> tensor<24xf32> {
    %inserted_slice = tensor.insert_slice %arg1 into %arg0[%arg3] [4] [2] : tensor<4xf32> into tensor<24xf32>
    %extracted_slice = tensor.extract_slice %arg1[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %inserted_slice_0 = tensor.insert_slice %extracted_slice into %arg0[%arg3] [2] [1] : tensor<2xf32> into tensor<24xf32>
    return %inserted_slice_0 : tensor<24xf32>
  }
}
