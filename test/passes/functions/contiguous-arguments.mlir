// RUN: inplace-opt %s --inplace-contiguous-arguments | filecheck %s
// RUN: inplace-opt %s --inplace-contiguous-arguments --canonicalize | filecheck %s --check-prefix=FOLDED

// CHECK-LABEL: func.func @marked
// CHECK-SAME:    %[[A:.*]]: memref<4x4xf32> {inplace.contiguous}, %[[B:.*]]: memref<4x4xf32, strided<[?, ?], offset: ?>>)
// FOLDED-LABEL: func.func @marked
// FOLDED-SAME:    %[[A:.*]]: memref<4x4xf32> {inplace.contiguous}, %[[B:.*]]: memref
func.func @marked(%a: memref<4x4xf32, strided<[?, ?], offset: ?>> {inplace.contiguous},
                  %b: memref<4x4xf32, strided<[?, ?], offset: ?>>) {
  // CHECK: %[[CAST:.*]] = memref.cast %[[A]] : memref<4x4xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  // CHECK: memref.copy %[[CAST]], %[[B]]
  // FOLDED-NEXT: memref.copy %[[A]], %[[B]]
  memref.copy %a, %b : memref<4x4xf32, strided<[?, ?], offset: ?>> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  return
}

// A layout that the identity cannot be cast to stays.
// CHECK-LABEL: func.func @other_layout
// CHECK-SAME:    memref<4xf32, strided<[2]>>
func.func @other_layout(%a: memref<4xf32, strided<[2]>> {inplace.contiguous}) {
  return
}

// CHECK-LABEL: func.func @already
// CHECK-NEXT:    return
func.func @already(%a: memref<?xf32> {inplace.contiguous}, %i: index {inplace.contiguous}) {
  return
}

// The callers inside the module have promised nothing.
// CHECK-LABEL: func.func @called
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
func.func @called(%a: memref<4xf32, strided<[?], offset: ?>> {inplace.contiguous}) {
  return
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>
func.func @caller(%a: memref<?xf32, strided<[?], offset: ?>> {inplace.contiguous}) {
  // CHECK: %[[CAST:.*]] = memref.cast %[[A]]
  // CHECK: memref.subview %[[CAST]]
  %0 = memref.subview %a[0] [4] [1]
    : memref<?xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  call @called(%0) : (memref<4xf32, strided<[?], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func private @not_an_entry
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
func.func private @not_an_entry(%a: memref<4xf32, strided<[?], offset: ?>> {inplace.contiguous}) {
  return
}
