// RUN: inplace-opt %s --allow-unregistered-dialect --inplace-one-shot-bufferize='bufferize-function-boundaries allow-unknown-ops' | filecheck %s

// CHECK-LABEL: func.func @unknown(
// CHECK:         %[[X:.*]] = bufferization.to_tensor %{{.*}} : memref<4xf32{{.*}} to tensor<4xf32>
// CHECK-NEXT:    %[[R:.*]] = "test.op"(%[[X]], %{{.*}}) : (tensor<4xf32>, f32) -> tensor<4xf32>
// CHECK-NEXT:    %[[M:.*]] = bufferization.to_buffer %[[R]] read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[M]][
// CHECK-NEXT:    return %[[M]], %[[V]]
func.func @unknown(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
  %1 = "test.op"(%0, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
  %2 = tensor.extract %1[%i] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}

// CHECK-LABEL: func.func @its_result_is_copied_before_a_write(
// CHECK:         %[[M:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[M]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]]
func.func @its_result_is_copied_before_a_write(%t: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %0 = "test.op"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @its_region_is_converted(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK-NEXT:    %[[M:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[M]][
// CHECK-NEXT:    %[[W:.*]] = memref.load %[[T]][
// CHECK-NEXT:    %[[X:.*]] = bufferization.to_tensor %[[M]]
// CHECK-NEXT:    "test.end"(%[[V]], %[[W]], %[[X]]) : (f32, f32, tensor<4xf32>)
func.func @its_region_is_converted(%t: tensor<4xf32>, %i: index) {
  "test.op"(%t) ({
  ^bb0(%b: tensor<4xf32>):
    %0 = tensor.extract %b[%i] : tensor<4xf32>
    %1 = tensor.extract %t[%i] : tensor<4xf32>
    "test.end"(%0, %1, %b) : (f32, f32, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> ()
  return
}
