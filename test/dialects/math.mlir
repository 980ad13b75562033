// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[T:.*]]: memref<2x?xf32
// CHECK-NEXT:    linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[T]] : {{.*}}) outs(%[[T]] :
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK-NEXT:    linalg.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]]
func.func @exp(%t: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = math.exp %t : tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @exp_in_a_new_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[A]] :
func.func @exp_in_a_new_buffer(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %t : tensor<8xf32>
  return %0, %t : tensor<8xf32>, tensor<8xf32>
}
