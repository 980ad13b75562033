// RUN: inplace-opt %s --inplace-expand-strided-copies | filecheck %s
// RUN: inplace-opt %s --inplace-expand-strided-copies=all | filecheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @contiguous
// ALL-LABEL:   func.func @contiguous
func.func @contiguous(%a: memref<4x?xf32>, %b: memref<4x?xf32>) {
  // CHECK-NEXT: memref.copy
  // ALL-NEXT:   linalg.copy
  memref.copy %a, %b : memref<4x?xf32> to memref<4x?xf32>
  return
}

// Contiguous although it has a layout: only the start is moved.
// CHECK-LABEL: func.func @moved
func.func @moved(%a: memref<4x4xf32, strided<[4, 1], offset: 8>>, %b: memref<4x4xf32>) {
  // CHECK-NEXT: memref.copy
  memref.copy %a, %b : memref<4x4xf32, strided<[4, 1], offset: 8>> to memref<4x4xf32>
  return
}

// A row of a matrix is contiguous whatever the stride between rows.
// CHECK-LABEL: func.func @row
func.func @row(%a: memref<1x4xf32, strided<[9, 1], offset: ?>>, %b: memref<1x4xf32>) {
  // CHECK-NEXT: memref.copy
  memref.copy %a, %b : memref<1x4xf32, strided<[9, 1], offset: ?>> to memref<1x4xf32>
  return
}

// CHECK-LABEL: func.func @strided_source
// CHECK-SAME:    %[[A:.*]]: memref<4xf32, strided<[?], offset: ?>>, %[[B:.*]]: memref<4xf32>
func.func @strided_source(%a: memref<4xf32, strided<[?], offset: ?>>, %b: memref<4xf32>) {
  // CHECK-NEXT: linalg.copy {{.*}}ins(%[[A]] : memref<4xf32, strided<[?], offset: ?>>) outs(%[[B]] : memref<4xf32>)
  // CHECK-NEXT: return
  memref.copy %a, %b : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @strided_target
func.func @strided_target(%a: memref<2x4xf32>, %b: memref<2x4xf32, strided<[8, 1]>>) {
  // CHECK-NEXT: linalg.copy
  memref.copy %a, %b : memref<2x4xf32> to memref<2x4xf32, strided<[8, 1]>>
  return
}

// Static strides of a dynamic shape are not known to be those of row-major order.
// CHECK-LABEL: func.func @unknown_size
func.func @unknown_size(%a: memref<?x4xf32, strided<[4, 1]>>, %b: memref<?x4xf32>) {
  // CHECK-NEXT: linalg.copy
  memref.copy %a, %b : memref<?x4xf32, strided<[4, 1]>> to memref<?x4xf32>
  return
}

// CHECK-LABEL: func.func @nested
func.func @nested(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.subview %a[0, %i] [4, 1] [1, 1] : memref<4x4xf32> to memref<4x1xf32, strided<[4, 1], offset: ?>>
    %y = memref.subview %b[0, %i] [4, 1] [1, 1] : memref<4x4xf32> to memref<4x1xf32, strided<[4, 1], offset: ?>>
    // CHECK-NOT: memref.copy
    // CHECK: linalg.copy
    memref.copy %x, %y : memref<4x1xf32, strided<[4, 1], offset: ?>> to memref<4x1xf32, strided<[4, 1], offset: ?>>
  }
  return
}

// CHECK-LABEL: func.func @rank_zero
func.func @rank_zero(%a: memref<f32, strided<[], offset: ?>>, %b: memref<f32>) {
  // CHECK-NEXT: memref.copy
  memref.copy %a, %b : memref<f32, strided<[], offset: ?>> to memref<f32>
  return
}
