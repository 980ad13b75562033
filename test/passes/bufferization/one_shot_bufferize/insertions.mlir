// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// All of a tensor is inserted into itself backwards: that is no redundant write, as it reverses the elements.
// CHECK-LABEL: func.func @inserted_backwards(
// CHECK:         %[[V:.*]] = memref.subview %{{.*}}[3] [4] [-1]
// CHECK:         memref.copy %{{.*}}, %[[V]]
func.func @inserted_backwards(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %t into %t[3] [4] [-1] : tensor<4xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @inserted_as_it_is(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @inserted_as_it_is(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %t into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}
