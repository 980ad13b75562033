// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// Two slices of one input are two views, each copied to its output.

// CHECK-LABEL: func.func @slice_multiple_copy(
// CHECK:         %[[P0:.*]] = dispatch.push_constant 0 :
// CHECK-NEXT:    %[[P1:.*]] = dispatch.push_constant 1 :
// CHECK-NEXT:    %[[P2:.*]] = dispatch.push_constant 2 :
// CHECK-NEXT:    %[[P3:.*]] = dispatch.push_constant 3 :
// CHECK-NEXT:    %[[P4:.*]] = dispatch.push_constant 4 :
// CHECK-NEXT:    %[[P5:.*]] = dispatch.push_constant 5 :
// CHECK-NEXT:    %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<?x?x?xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<?x?x?xi32>
// CHECK-NEXT:    %[[Q:.*]] = dispatch.binding set(0) binding(2) : memref<?x?xi32>
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][%[[P0]], %[[P1]], %[[P2]]] [%[[P3]], %[[P4]], %[[P5]]] [1, 1, 1] :
// CHECK-NEXT:    %[[A_TILE2:.*]] = memref.subview %[[A]][%[[P0]], %[[P1]], %[[P2]]] [%[[P3]], 1, %[[P5]]] [1, 1, 1] :
// CHECK-NEXT:    %[[A_ROWS:.*]] = memref.collapse_shape %[[A_TILE2]] {{\[}}[0, 1], [2]] :
// CHECK-NEXT:    memref.copy %[[A_TILE]], %[[R]] :
// CHECK-NEXT:    %[[Q_TILE:.*]] = memref.subview %[[Q]][%[[P0]], %[[P2]]] [%[[P3]], %[[P5]]] [1, 1] :
// CHECK-NEXT:    memref.copy %[[A_ROWS]], %[[Q_TILE]] :
// CHECK-NEXT:    return

func.func @slice_multiple_copy() {
  %p0 = dispatch.push_constant 0 : index
  %p1 = dispatch.push_constant 1 : index
  %p2 = dispatch.push_constant 2 : index
  %p3 = dispatch.push_constant 3 : index
  %p4 = dispatch.push_constant 4 : index
  %p5 = dispatch.push_constant 5 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?x?x?xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<?x?x?xi32>>
  %q = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<?x?xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<?x?x?xi32>> -> tensor<?x?x?xi32>
  %s = tensor.extract_slice %v[%p0, %p1, %p2] [%p3, %p4, %p5] [1, 1, 1] : tensor<?x?x?xi32> to tensor<?x?x?xi32>
  %t = tensor.extract_slice %v[%p0, %p1, %p2] [%p3, 1, %p5] [1, 1, 1] : tensor<?x?x?xi32> to tensor<?x?xi32>
  dispatch.store %s, %r : tensor<?x?x?xi32> -> !dispatch.writeonly<tensor<?x?x?xi32>>
  dispatch.store %t, %q[%p0, %p2] [%p3, %p5] [1, 1] : tensor<?x?xi32> -> !dispatch.writeonly<tensor<?x?xi32>>
  return
}
