// RUN: inplace-opt %s --split-input-file --inplace-count-memory | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-count-memory=alignment=256 | filecheck %s --check-prefix=WIDE

// CHECK:      module attributes {inplace.count_alignment = 64 : i64}
// CHECK:      func.func private @inplace_count_copy(index)
// CHECK-LABEL: func.func @copies
// CHECK-SAME:    %[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<?x4xf32>
func.func @copies(%a: memref<?x4xf32>, %b: memref<?x4xf32>, %c: memref<3xcomplex<f64>>, %d: memref<3xcomplex<f64>>) {
  // CHECK:      %[[ROW:.*]] = arith.constant 16 : index
  // CHECK:      %[[ROWS:.*]] = memref.dim %[[A]]
  // CHECK:      %[[BYTES:.*]] = arith.muli %[[ROW]], %[[ROWS]]
  // CHECK:      call @inplace_count_copy(%[[BYTES]])
  // CHECK-NEXT: memref.copy %[[A]], %[[B]]
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  // CHECK:      %[[BYTES:.*]] = arith.constant 48 : index
  // CHECK-NEXT: call @inplace_count_copy(%[[BYTES]])
  // CHECK-NEXT: linalg.copy
  linalg.copy ins(%c : memref<3xcomplex<f64>>) outs(%d : memref<3xcomplex<f64>>)
  return
}

// -----

// One alignment for all.
// CHECK: module attributes {inplace.count_alignment = 128 : i64}
// WIDE:  module attributes {inplace.count_alignment = 256 : i64}
// WIDE:  module attributes {inplace.count_alignment = 256 : i64}
func.func @allocations(%n: index) -> (memref<?xf32>, memref<i1>) {
  // CHECK: memref.alloc(%{{.*}}) {alignment = 128 : i64} : memref<?xf32>
  // CHECK: memref.alloc() {alignment = 128 : i64} : memref<i1>
  // CHECK: memref.alloca() : memref<4xf32>
  %0 = memref.alloc(%n) {alignment = 128 : i64} : memref<?xf32>
  %1 = memref.alloc() : memref<i1>
  %2 = memref.alloca() : memref<4xf32>
  return %0, %1 : memref<?xf32>, memref<i1>
}

// -----

// Nothing to count, nothing declared.
// CHECK:     module attributes {inplace.count_alignment = 64 : i64}
// CHECK-NOT: inplace_count_copy
func.func @nothing() {
  return
}
