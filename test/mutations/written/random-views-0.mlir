// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [6, 8], 0], ["float32", [5, 4], 2000], ["int64", null, 0], ["int64", null, 1], ["int64", null, 2], ["int64", null, 3], ["int64", null, 4]]]
func.func @main(%a0: tensor<6x8xf32>, %a1: tensor<?x?xf32>, %n0: index, %n1: index, %n2: index, %n3: index, %n4: index) -> (tensor<1x1xf32>, tensor<5x?xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7.0 : f32
  %k0 = arith.constant 16 : index
  %k1 = arith.constant 3 : index
  %s2 = tensor.from_elements %n1, %k0, %k1 : tensor<3xindex>
  %v0 = tensor.reshape %a0(%s2) : (tensor<6x8xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  %e1_4 = tensor.empty() : tensor<6x8xf32>
  %v1 = linalg.negf ins(%a0 : tensor<6x8xf32>) outs(%e1_4 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %r6 = arith.constant dense<[[4]]> : tensor<1x1xi32>
  %v2 = tensor.gather %a0[%r6] gather_dims([0]) : (tensor<6x8xf32>, tensor<1x1xi32>) -> tensor<1x8xf32>
  %u8 = tensor.cast %a1 : tensor<?x?xf32> to tensor<*xf32>
  %v3 = tensor.cast %u8 : tensor<*xf32> to tensor<5x?xf32>
  %v4 = tensor.collapse_shape %v2 [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %v5 = tensor.insert %seven into %v1[%n2, %n3] : tensor<6x8xf32>
  %v6 = tensor.extract_slice %v3[%n3, 3] [1, 1] [2, %n1] : tensor<5x?xf32> to tensor<1x1xf32>
  %v7 = linalg.negf ins(%v6 : tensor<1x1xf32>) outs(%v6 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %v8 = tensor.insert_slice %v7 into %v3[%n3, 3] [1, 1] [2, %n1] : tensor<1x1xf32> into tensor<5x?xf32>
  %v9 = tensor.collapse_shape %v6 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  return %v7, %v8, %v9 : tensor<1x1xf32>, tensor<5x?xf32>, tensor<1xf32>
}
