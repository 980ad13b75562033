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
// CHECK-NEXT:    "test.end"(%[[V]], %[[W]], %[[B]]) : (f32, f32, tensor<4xf32>)
func.func @its_region_is_converted(%t: tensor<4xf32>, %i: index) {
  "test.op"(%t) ({
  ^bb0(%b: tensor<4xf32>):
    %0 = tensor.extract %b[%i] : tensor<4xf32>
    %1 = tensor.extract %t[%i] : tensor<4xf32>
    "test.end"(%0, %1, %b) : (f32, f32, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// The op may return the buffer that it is given, so the buffer must not change while the result is read.
// CHECK-LABEL: func.func @its_operand_is_written_later(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    %[[X:.*]] = bufferization.to_tensor %[[A]]
// CHECK-NEXT:    "test.op"(%[[X]])
// CHECK:         memref.store %{{.*}}, %[[T]][
func.func @its_operand_is_written_later(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %0 = "test.op"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
  %2 = tensor.extract %0[%i] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}

// So may whatever an op inside of it is given. The region may run often, so the copy is made behind it.
// CHECK-LABEL: func.func @what_its_region_sees_is_written_later(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         "test.op"() ({
// CHECK-NEXT:      %[[X:.*]] = bufferization.to_tensor %[[T]]
// CHECK-NEXT:      "test.end"(%[[X]])
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
func.func @what_its_region_sees_is_written_later(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, f32) {
  %0 = "test.op"() ({
    "test.end"(%t) : (tensor<4xf32>) -> ()
  }) : () -> tensor<4xf32>
  %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
  %2 = tensor.extract %0[%i] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}

// CHECK-LABEL: func.func @tensors_pass_from_one_to_the_next(
// CHECK:         %[[A:.*]] = "test.op"
// CHECK-NEXT:    %[[B:.*]] = "test.op"(%[[A]])
// CHECK-NEXT:    %[[M:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK-NEXT:    return %[[M]]
func.func @tensors_pass_from_one_to_the_next(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "test.op"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "test.op"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
