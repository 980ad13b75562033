// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @alloc_tensor(
// CHECK-SAME:    %[[N:.*]]: index, %{{.*}}: f32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[N]])
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]]
func.func @alloc_tensor(%n: index, %f: f32, %i: index) -> tensor<?xf32> {
  %0 = bufferization.alloc_tensor(%n) : tensor<?xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @alloc_tensor_in_a_memory_space(
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32, 1>
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] : memref<4xf32, 1>)
func.func @alloc_tensor_in_a_memory_space(%f: f32) -> tensor<4xf32> {
  %0 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @alloc_tensor_copy(
// CHECK-SAME:    %[[T:.*]]: memref<?xf32
// CHECK:         %[[D:.*]] = memref.dim %[[T]], %c0
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[D]])
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[T]], %[[A]]
func.func @alloc_tensor_copy(%t: tensor<?xf32>, %f: f32, %i: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = bufferization.alloc_tensor() copy(%t) : tensor<?xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
  return %t, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @alloc_tensor_that_nobody_works_in(
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    %[[B:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[B]] :
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT:    return %[[B]], %[[A]]
func.func @alloc_tensor_that_nobody_works_in(%f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = bufferization.alloc_tensor() : tensor<4xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @materialize_in_tensor(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    memref.copy %[[T]], %[[U]]
// CHECK-NEXT:    return %[[U]]
func.func @materialize_in_tensor(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bufferization.materialize_in_destination %t in %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @materialize_where_it_is(
// CHECK-SAME:    %[[U:.*]]: memref<
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[U]] :
// CHECK-NEXT:    return %[[U]]
func.func @materialize_where_it_is(%u: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%u : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @materialize_in_memref(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[M:.*]]: memref<4xf32>)
// CHECK-NEXT:    memref.copy %[[T]], %[[M]]
// CHECK-NEXT:    return
func.func @materialize_in_memref(%t: tensor<4xf32>, %m: memref<4xf32>) {
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @update_memref(
// CHECK-SAME:    %[[M:.*]]: memref<4xf32>
// CHECK-NEXT:    memref.store %{{.*}}, %[[M]][
// CHECK-NEXT:    return
func.func @update_memref(%m: memref<4xf32>, %f: f32, %i: index) {
  %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @to_tensor_is_read_only(
// CHECK-SAME:    %[[M:.*]]: memref<4xf32>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[M]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]]
func.func @to_tensor_is_read_only(%m: memref<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %0 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @to_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    return %[[A]]
func.func @to_buffer(%t: tensor<4xf32>) -> memref<4xf32> {
  %0 = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// CHECK-LABEL: func.func @to_buffer_for_reading(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[T]][
// CHECK-NEXT:    return %[[V]]
func.func @to_buffer_for_reading(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  %1 = memref.load %0[%i] : memref<4xf32, strided<[?], offset: ?>>
  return %1 : f32
}

// CHECK-LABEL: func.func @to_buffer_of_another_layout(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.load %[[A]][
func.func @to_buffer_of_another_layout(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32>
  %1 = memref.load %0[%i] : memref<4xf32>
  return %1 : f32
}

// Nothing is freed here, as deallocation does that, and the op costs no copy of what it ends.
// CHECK-LABEL: func.func @dealloc_tensor(
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]]
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[A]][
// CHECK-NEXT:    return %[[V]]
func.func @dealloc_tensor(%x: f32, %i: index) -> f32 {
  %0 = bufferization.alloc_tensor() : tensor<4xf32>
  %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.extract %1[%i] : tensor<4xf32>
  bufferization.dealloc_tensor %1 : tensor<4xf32>
  return %2 : f32
}

// CHECK-LABEL: func.func @dealloc_tensor_of_the_caller(
// CHECK-NEXT:    return
func.func @dealloc_tensor_of_the_caller(%t: tensor<4xf32>) {
  bufferization.dealloc_tensor %t : tensor<4xf32>
  return
}
