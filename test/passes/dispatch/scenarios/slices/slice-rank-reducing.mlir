// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The slice is a view with fewer dimensions, and is copied to the output.

// CHECK-LABEL: func.func @slice_rank_reducing(
// CHECK:         %[[P0:.*]] = dispatch.push_constant 0 :
// CHECK-NEXT:    %[[P1:.*]] = dispatch.push_constant 1 :
// CHECK-NEXT:    %[[P2:.*]] = dispatch.push_constant 2 :
// CHECK-NEXT:    %[[P3:.*]] = dispatch.push_constant 3 :
// CHECK-NEXT:    %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<?x?x?xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<?x?xi32>
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][%[[P0]], %[[P0]], %[[P1]]] [%[[P2]], 1, %[[P3]]] [1, 1, 1] :
// CHECK-NEXT:    %[[A_ROWS:.*]] = memref.collapse_shape %[[A_TILE]] {{\[}}[0, 1], [2]] :
// CHECK-NEXT:    memref.copy %[[A_ROWS]], %[[R]] :
// CHECK-NEXT:    return

func.func @slice_rank_reducing() {
  %p0 = dispatch.push_constant 0 : index
  %p1 = dispatch.push_constant 1 : index
  %p2 = dispatch.push_constant 2 : index
  %p3 = dispatch.push_constant 3 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?x?x?xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<?x?xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<?x?x?xi32>> -> tensor<?x?x?xi32>
  %s = tensor.extract_slice %v[%p0, %p0, %p1] [%p2, 1, %p3] [1, 1, 1] : tensor<?x?x?xi32> to tensor<?x?xi32>
  dispatch.store %s, %r : tensor<?x?xi32> -> !dispatch.writeonly<tensor<?x?xi32>>
  return
}
