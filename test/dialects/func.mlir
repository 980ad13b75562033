// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[T:.*]]: memref<4xf32, strided<[?], offset: ?>>, {{.*}} -> memref<4xf32, strided<[?], offset: ?>> {
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    return %[[T]]
func.func @update(%t: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @new(
// CHECK-SAME:    f32) -> memref<4xf32> {
func.func @new(%f: f32) -> tensor<4xf32> {
  %0 = tensor.splat %f : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @call_in_place(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    call @update(%[[T]],
// CHECK-NEXT:    return %[[T]]
func.func @call_in_place(%t: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %0 = call @update(%t, %f, %i) : (tensor<4xf32>, f32, index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @call_on_a_copy(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[A]]
// CHECK-NEXT:    %[[R:.*]] = call @update(%[[C]],
// CHECK-NEXT:    return %[[R]], %[[T]]
func.func @call_on_a_copy(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @update(%t, %f, %i) : (tensor<4xf32>, f32, index) -> tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @call_casts(
// CHECK-NEXT:    %[[N:.*]] = call @new(%{{.*}}) : (f32) -> memref<4xf32>
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[N]]
// CHECK-NEXT:    call @update(%[[C]],
func.func @call_casts(%f: f32, %i: index) -> tensor<4xf32> {
  %0 = call @new(%f) : (f32) -> tensor<4xf32>
  %1 = call @update(%0, %f, %i) : (tensor<4xf32>, f32, index) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @call_later_function(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    call @later(%[[T]]) : (memref<4xf32, strided<[?], offset: ?>>) -> memref<4xf32, strided<[?], offset: ?>>
func.func @call_later_function(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @later(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @later(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

// CHECK-LABEL: func.func private @external(
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>, f32) -> memref<4xf32, strided<[?], offset: ?>>
func.func private @external(tensor<4xf32> {bufferization.access = "read"}, f32) -> tensor<4xf32>

// CHECK-LABEL: func.func @call_external(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    call @external(%[[T]],
func.func @call_external(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = call @external(%t, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @recursive(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    scf.if
// CHECK-NEXT:    func.call @recursive(%[[T]],
// CHECK:         return %[[T]]
func.func @recursive(%t: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = func.call @recursive(%t, %p) : (tensor<4xf32>, i1) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %t : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @attributes(
// CHECK-SAME:    offset: ?>> {test.kept})
func.func @attributes(%t: tensor<4xf32> {bufferization.writable = false, test.kept}) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_tensors(
// CHECK-SAME:    f32) -> f32 {
func.func @no_tensors(%f: f32) -> f32 {
  return %f : f32
}
