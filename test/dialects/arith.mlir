// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @__constant_4xf32 :
// CHECK-NEXT:    return %[[G]]
func.func @constant() -> tensor<4xf32> {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @equal_constants(
// CHECK-NEXT:    memref.get_global @__constant_4xf32 :
// CHECK-NEXT:    memref.get_global @__constant_4xf32_0 :
// CHECK-NEXT:    memref.get_global @__constant_2x2xf32 :
// CHECK-NEXT:    %{{.*}} = arith.constant 5.0
func.func @equal_constants() -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, f32) {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = arith.constant dense<5.0> : tensor<4xf32>
  %2 = arith.constant dense<5.0> : tensor<2x2xf32>
  %3 = arith.constant 5.0 : f32
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, f32
}

// CHECK-LABEL: func.func @updated_constant(
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @__constant_4xf32_0 :
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[G]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]]
func.func @updated_constant(%f: f32, %i: index) -> tensor<4xf32> {
  %0 = arith.constant dense<5.0> : tensor<4xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME:    %[[P:.*]]: i1, %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[P]], %[[T]], %[[U]] : memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    return %[[S]]
func.func @select(%p: i1, %t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %p, %t, %u : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_between_layouts(
// CHECK-SAME:    %[[P:.*]]: i1, %[[T:.*]]: memref<
// CHECK:         %[[C:.*]] = memref.cast %{{.*}} : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    arith.select %[[P]], %[[T]], %[[C]]
func.func @select_between_layouts(%p: i1, %t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = tensor.splat %f : tensor<4xf32>
  %1 = arith.select %p, %t, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @selected_and_updated(
// CHECK-SAME:    %[[P:.*]]: i1, %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[P]], %[[T]], %[[U]]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[S]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]], %[[U]]
func.func @selected_and_updated(%p: i1, %t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.select %p, %t, %u : tensor<4xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
  return %1, %u : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[T]], %[[U]] : {{.*}}) outs(%[[T]] :
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[Z:.*]] = arith.addf %[[X]], %[[Y]] fastmath<fast>
// CHECK-NEXT:    linalg.yield %[[Z]]
func.func @elementwise(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %t, %u fastmath<fast> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @elementwise_in_a_new_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[T]], %[[U]] : {{.*}}) outs(%[[A]] :
func.func @elementwise_in_a_new_buffer(%t: tensor<4xf32>, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %t, %u : tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @elementwise_of_another_type(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[D:.*]] = memref.dim %[[T]], %c0
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[D]]) {{.*}} : memref<?xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[A]] :
// CHECK:         arith.sitofp %{{.*}} : i32 to f32
func.func @elementwise_of_another_type(%t: tensor<?xi32>) -> tensor<?xf32> {
  %0 = arith.sitofp %t : tensor<?xi32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @elementwise_select(
// CHECK-SAME:    %[[P:.*]]: memref<4xi1, {{.*}}, %[[T:.*]]: memref<4xf32, {{.*}}, %[[U:.*]]: memref<4xf32, {{.*}}) ->
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[P]], %[[T]], %[[U]] : {{.*}}) outs(%[[T]] :
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @elementwise_select(%p: tensor<4xi1>, %t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %p, %t, %u : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
