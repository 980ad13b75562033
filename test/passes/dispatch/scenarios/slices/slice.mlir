// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The slice is a view of the input, and is copied to the output.

// CHECK-LABEL: func.func @slice(
// CHECK:         %[[P0:.*]] = dispatch.push_constant 0 :
// CHECK-NEXT:    %[[P1:.*]] = dispatch.push_constant 1 :
// CHECK-NEXT:    %[[P2:.*]] = dispatch.push_constant 2 :
// CHECK-NEXT:    %[[P3:.*]] = dispatch.push_constant 3 :
// CHECK-NEXT:    %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<?x?xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<?x?xi32>
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][%[[P0]], %[[P1]]] [%[[P2]], %[[P3]]] [1, 1] :
// CHECK-NEXT:    memref.copy %[[A_TILE]], %[[R]] :
// CHECK-NEXT:    return

func.func @slice() {
  %p0 = dispatch.push_constant 0 : index
  %p1 = dispatch.push_constant 1 : index
  %p2 = dispatch.push_constant 2 : index
  %p3 = dispatch.push_constant 3 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?x?xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<?x?xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<?x?xi32>> -> tensor<?x?xi32>
  %s = tensor.extract_slice %v[%p0, %p1] [%p2, %p3] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  dispatch.store %s, %r : tensor<?x?xi32> -> !dispatch.writeonly<tensor<?x?xi32>>
  return
}
