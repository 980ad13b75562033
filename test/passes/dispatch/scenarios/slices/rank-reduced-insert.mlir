// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// What is inserted is copied into a view of the output with fewer dimensions; the rest stays as it is.

// CHECK-LABEL: func.func @rank_reduced_insert(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<?x?xf32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<?x?x?xf32>
// CHECK-NEXT:    %[[VALUE:.*]] = memref.dim %[[R]], %c1
// CHECK-NEXT:    %[[VALUE2:.*]] = memref.dim %[[R]], %c2
// CHECK-NEXT:    %[[R_TILE:.*]] = memref.subview %[[R]][0, 0, 0] [1, %[[VALUE]], %[[VALUE2]]] [1, 1, 1] :
// CHECK-NEXT:    %[[R_ROWS:.*]] = memref.collapse_shape %[[R_TILE]] {{\[}}[0, 1], [2]] :
// CHECK-NEXT:    memref.copy %[[A]], %[[R_ROWS]] :
// CHECK-NEXT:    return

func.func @rank_reduced_insert() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?x?xf32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<?x?x?xf32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
  %w = dispatch.load %r : !dispatch.readwrite<tensor<?x?x?xf32>> -> tensor<?x?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %w, %c2 : tensor<?x?x?xf32>
  %t = tensor.insert_slice %v into %w[0, 0, 0] [1, %m, %n] [1, 1, 1] : tensor<?x?xf32> into tensor<?x?x?xf32>
  dispatch.store %t, %r : tensor<?x?x?xf32> -> !dispatch.readwrite<tensor<?x?x?xf32>>
  return
}
