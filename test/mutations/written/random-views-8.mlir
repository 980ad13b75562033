// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=bottom-up-from-terminators}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [6, 8], 0], ["float32", [5, 4], 2000], ["int64", null, 0], ["int64", null, 1], ["int64", null, 2], ["int64", null, 3], ["int64", null, 4]]]
func.func @main(%a0: tensor<6x8xf32>, %a1: tensor<?x?xf32>, %n0: index, %n1: index, %n2: index, %n3: index, %n4: index) -> (tensor<?x7xf32>, tensor<?xf32>, tensor<48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7.0 : f32
  %v0 = tensor.extract_slice %a1[%n0, %n3] [%n3, %n1] [2, %n1] : tensor<?x?xf32> to tensor<?x?xf32>
  %v1 = tensor.collapse_shape %a1 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %v2 = tensor.extract_slice %a0[0, 0] [%n4, 7] [%n1, %n1] : tensor<6x8xf32> to tensor<?x7xf32>
  %v3 = tensor.collapse_shape %v2 [[0, 1]] : tensor<?x7xf32> into tensor<?xf32>
  %v4 = tensor.collapse_shape %a0 [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  return %v2, %v3, %v4 : tensor<?x7xf32>, tensor<?xf32>, tensor<48xf32>
}
