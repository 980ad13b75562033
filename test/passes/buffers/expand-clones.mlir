// RUN: inplace-opt %s --split-input-file --inplace-expand-clones | filecheck %s

// CHECK-LABEL: func.func @identity
// CHECK-SAME:    %[[A:.*]]: memref<4x?xf32>
func.func @identity(%a: memref<4x?xf32>) -> memref<4x?xf32> {
  // CHECK: %[[D:.*]] = memref.dim %[[A]]
  // CHECK: %[[ALLOC:.*]] = memref.alloc(%[[D]]) : memref<4x?xf32>
  // CHECK: memref.copy %[[A]], %[[ALLOC]] : memref<4x?xf32> to memref<4x?xf32>
  // CHECK: return %[[ALLOC]]
  %0 = bufferization.clone %a : memref<4x?xf32> to memref<4x?xf32>
  return %0 : memref<4x?xf32>
}

// -----

// A layout that the identity can be cast to.
// CHECK-LABEL: func.func @any_strides
func.func @any_strides(%a: memref<4xf32, strided<[?], offset: ?>>) -> memref<4xf32, strided<[?], offset: ?>> {
  // CHECK: %[[ALLOC:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: %[[CAST:.*]] = memref.cast %[[ALLOC]]
  // CHECK: memref.copy %{{.*}}, %[[CAST]]
  // CHECK: return %[[CAST]]
  %0 = bufferization.clone %a
    : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  return %0 : memref<4xf32, strided<[?], offset: ?>>
}

// -----

// A fixed offset: the allocation has room for what comes before.
// CHECK-LABEL: func.func @offset
func.func @offset(%a: memref<2xf32, strided<[1], offset: 1>>) -> memref<2xf32, strided<[1], offset: 1>> {
  // CHECK: %[[FLAT:.*]] = memref.alloc() : memref<3xf32>
  // CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[FLAT]] to offset: [1], sizes: [2], strides: [1]
  // CHECK: memref.copy %{{.*}}, %[[VIEW]]
  // CHECK: return %[[VIEW]]
  %0 = bufferization.clone %a : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, strided<[1], offset: 1>>
  return %0 : memref<2xf32, strided<[1], offset: 1>>
}

// -----

// Fixed strides in another order than the identity's.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%a: memref<3x4xf32, strided<[1, 3]>>) -> memref<3x4xf32, strided<[1, 3]>> {
  // CHECK: %[[FLAT:.*]] = memref.alloc() : memref<12xf32>
  // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [0], sizes: [3, 4], strides: [1, 3]
  %0 = bufferization.clone %a : memref<3x4xf32, strided<[1, 3]>> to memref<3x4xf32, strided<[1, 3]>>
  return %0 : memref<3x4xf32, strided<[1, 3]>>
}

// -----

// A dynamic stride steps over what the fixed one reaches: 1 + size * 2 elements.
// CHECK-LABEL: func.func @mixed
func.func @mixed(%a: memref<3x?xf32, strided<[?, 2], offset: ?>>) -> memref<3x?xf32, strided<[?, 2], offset: ?>> {
  // CHECK: %[[D:.*]] = memref.dim
  // CHECK: %[[REACH:.*]] = arith.muli %[[D]]
  // CHECK: %[[STEP:.*]] = arith.addi %{{.*}}, %[[REACH]]
  // CHECK: %[[ALL:.*]] = arith.muli %[[STEP]]
  // CHECK: %[[FLAT:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
  // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [%{{.*}}], sizes: [3, %[[D]]], strides: [%[[STEP]], 2]
  %0 = bufferization.clone %a
    : memref<3x?xf32, strided<[?, 2], offset: ?>> to memref<3x?xf32, strided<[?, 2], offset: ?>>
  return %0 : memref<3x?xf32, strided<[?, 2], offset: ?>>
}

// -----

// CHECK-LABEL: func.func @nothing_to_do
func.func @nothing_to_do(%a: memref<4xf32>, %b: memref<4xf32>) {
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: return
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A negative stride leads to in front of the first element: 2 * 2 elements are there.
!backwards = memref<2x3xf32, strided<[1, -2], offset: ?>>
// CHECK-LABEL: func.func @backwards
func.func @backwards(%a: !backwards) -> !backwards {
  // CHECK: %[[FLAT:.*]] = memref.alloc() : memref<6xf32>
  // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [%{{.*}}], sizes: [2, 3], strides: [1, -2]
  %0 = bufferization.clone %a : !backwards to !backwards
  return %0 : !backwards
}

// -----

// CHECK-LABEL: func.func @backwards_from_a_known_place
func.func @backwards_from_a_known_place(%a: memref<3xf32, strided<[-2], offset: 5>>) -> memref<3xf32, strided<[-2], offset: 5>> {
  // CHECK: %[[FLAT:.*]] = memref.alloc() : memref<10xf32>
  // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [5], sizes: [3], strides: [-2]
  %0 = bufferization.clone %a : memref<3xf32, strided<[-2], offset: 5>> to memref<3xf32, strided<[-2], offset: 5>>
  return %0 : memref<3xf32, strided<[-2], offset: 5>>
}
