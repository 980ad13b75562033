// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries --mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=STATS
// RUN: inplace-opt %s --pass-pipeline='builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries},one-shot-bufferize{bufferize-function-boundaries},canonicalize,convert-linalg-to-loops)' | filecheck %s --check-prefix=THEN
// What comes out is ready for upstream's passes, which find no tensor in it.

// CHECK-LABEL: func.func @tiled_matmul(
// CHECK-SAME:    %[[A:.*]]: memref<8x16xf32, {{.*}}, %[[B:.*]]: memref<16x8xf32, {{.*}}, %[[C:.*]]: memref<8x8xf32, {{.*}})
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c4 {
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %c8 step %c4 {
// CHECK-NEXT:    scf.for %[[K:.*]] = %c0 to %c16 step %c4 {
// CHECK-NEXT:    %[[AT:.*]] = memref.subview %[[A]][%[[I]], %[[K]]] [4, 4] [1, 1]
// CHECK-NEXT:    %[[BT:.*]] = memref.subview %[[B]][%[[K]], %[[J]]] [4, 4] [1, 1]
// CHECK-NEXT:    %[[CT:.*]] = memref.subview %[[C]][%[[I]], %[[J]]] [4, 4] [1, 1]
// CHECK-NEXT:    linalg.matmul ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[CT]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[C]]

// STATS: 1 num-allocations
// STATS: 1 num-copies
// STATS: 11 num-in-place
// STATS: 1 num-out-of-place

// THEN-NOT:   tensor<
// THEN-LABEL: func.func @tiled_matmul(
// THEN-NOT:   tensor<
// THEN:       memref.load
// THEN-NOT:   tensor<
// THEN:       memref.store
// THEN-NOT:   tensor<
// THEN-LABEL: func.func @one_copy(
// THEN-NOT:   tensor<
// THEN:       return
func.func @tiled_matmul(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %0 = scf.for %i = %c0 to %c8 step %c4 iter_args(%ci = %c) -> tensor<8x8xf32> {
    %1 = scf.for %j = %c0 to %c8 step %c4 iter_args(%cj = %ci) -> tensor<8x8xf32> {
      %2 = scf.for %k = %c0 to %c16 step %c4 iter_args(%ck = %cj) -> tensor<8x8xf32> {
        %at = tensor.extract_slice %a[%i, %k] [4, 4] [1, 1] : tensor<8x16xf32> to tensor<4x4xf32>
        %bt = tensor.extract_slice %b[%k, %j] [4, 4] [1, 1] : tensor<16x8xf32> to tensor<4x4xf32>
        %ct = tensor.extract_slice %ck[%i, %j] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
        %3 = linalg.matmul ins(%at, %bt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%ct : tensor<4x4xf32>) -> tensor<4x4xf32>
        %4 = tensor.insert_slice %3 into %ck[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
        scf.yield %4 : tensor<8x8xf32>
      }
      scf.yield %2 : tensor<8x8xf32>
    }
    scf.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @one_copy(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]], %[[T]] : memref<8xf32>, memref<8xf32, strided<[?], offset: ?>>
func.func @one_copy(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0, %t : tensor<8xf32>, tensor<8xf32>
}
