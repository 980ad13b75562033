// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize='bufferize-function-boundaries use-encoding-for-memory-space' | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize='use-encoding-for-memory-space' | filecheck %s --check-prefix=TENSORS

// CHECK-LABEL: memref.global "private" constant @__constant_8xf32 : memref<8xf32, 1> = dense<1.000000e+00>

// CHECK-LABEL: func.func @encoded(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>, 1>, {{.*}}) -> (memref<8xf32, 1>, memref<8xf32, 1>) {
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<8xf32, 1>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]]
// CHECK:         %[[K:.*]] = memref.get_global @__constant_8xf32 : memref<8xf32, 1>
// CHECK-NEXT:    return %[[A]], %[[K]]
// TENSORS-LABEL: func.func @encoded(
// TENSORS-SAME:  %[[T:.*]]: tensor<8xf32, 1 : i64>
// TENSORS:       bufferization.to_buffer %[[T]] read_only : tensor<8xf32, 1 : i64> to memref<8xf32, strided<[?], offset: ?>, 1>
func.func @encoded(%t: tensor<8xf32, 1> {bufferization.writable = false}, %f: f32, %i: index) -> (tensor<8xf32, 1>, tensor<8xf32, 1>) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32, 1>
  %1 = arith.constant dense<1.0> : tensor<8xf32, 1>
  return %0, %1 : tensor<8xf32, 1>, tensor<8xf32, 1>
}

// -----

// CHECK-LABEL: func.func @new(
// CHECK-SAME:    -> memref<4xf32, 3> {
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32, 3>
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] : memref<4xf32, 3>)
// CHECK-NEXT:    return %[[A]]
// TENSORS-LABEL: func.func @new(
func.func @new(%f: f32) -> tensor<4xf32, 3> {
  %0 = tensor.empty() : tensor<4xf32, 3>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32, 3>) -> tensor<4xf32, 3>
  return %1 : tensor<4xf32, 3>
}
