// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=top-down}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 2], ["int64", null, 3]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 3], ["int64", null, 1]], [["float32", [24], 1], ["float32", [4], 101], ["f", null, 1000.5], ["int64", null, 4], ["int64", null, 2]]]
module {
  func.func @main(%arg0: tensor<24xf32>, %arg1: tensor<4xf32>, %arg2: f32, %arg3: index, %arg4: index) -> f32 {
    %c1 = arith.constant 1 : index
    %inserted_slice = tensor.insert_slice %arg1 into %arg0[%c1] [4] [1] : tensor<4xf32> into tensor<24xf32>
    %extracted_slice = tensor.extract_slice %arg1[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %inserted_slice_0 = tensor.insert_slice %extracted_slice into %inserted_slice[%c1] [2] [2] : tensor<2xf32> into tensor<24xf32>
    %inserted_slice_1 = tensor.insert_slice %extracted_slice into %inserted_slice[%c1] [2] [3] : tensor<2xf32> into tensor<24xf32>
    %inserted = tensor.insert %arg2 into %inserted_slice_1[%c1] : tensor<24xf32>
    %inserted_slice_2 = tensor.insert_slice %extracted_slice into %inserted[%c1] [2] [1] : tensor<2xf32> into tensor<24xf32>
    %extracted = tensor.extract %inserted_slice_2[%c1] : tensor<24xf32>
    %c12 = arith.constant 12 : index
    %inserted_3 = tensor.insert %arg2 into %inserted_slice_2[%c12] : tensor<24xf32>
    %extracted_4 = tensor.extract %inserted_slice_2[%c1] : tensor<24xf32>
    %extracted_5 = tensor.extract %inserted_3[%c12] : tensor<24xf32>
    %0 = arith.floordivsi %c12, %c12 : index
    %extracted_slice_6 = tensor.extract_slice %inserted_3[%0] [2] [2] : tensor<24xf32> to tensor<2xf32>
    %extracted_7 = tensor.extract %extracted_slice_6[%0] : tensor<2xf32>
    %extracted_8 = tensor.extract %extracted_slice_6[%0] : tensor<2xf32>
    %c7 = arith.constant 7 : index
    %1 = arith.addi %c7, %c7 : index
    %inserted_9 = tensor.insert %arg2 into %inserted_3[%1] : tensor<24xf32>
    %c12_10 = arith.constant 12 : index
    %extracted_slice_11 = tensor.extract_slice %inserted_3[%c12_10] [3] [1] : tensor<24xf32> to tensor<3xf32>
    %c2 = arith.constant 2 : index
    %extracted_12 = tensor.extract %extracted_slice_11[%c2] : tensor<3xf32>
    return %extracted_12 : f32
  }
}
