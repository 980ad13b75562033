// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// Sizes known at run time, tied to the bindings: one copy, of the tile.

// CHECK-LABEL: func.func @bufferize_dynamic(
// CHECK:         %[[P0:.*]] = dispatch.push_constant 0 :
// CHECK-NEXT:    %[[P1:.*]] = dispatch.push_constant 1 :
// CHECK-NEXT:    %[[P2:.*]] = dispatch.push_constant 2 :
// CHECK-NEXT:    %[[P3:.*]] = dispatch.push_constant 3 :
// CHECK-NEXT:    %[[P4:.*]] = dispatch.push_constant 4 :
// CHECK-NEXT:    %[[P5:.*]] = dispatch.push_constant 5 :
// CHECK-NEXT:    %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<?x?xf32>
// CHECK-NEXT:    %[[B:.*]] = dispatch.binding set(0) binding(1) : memref<?x?xf32>
// CHECK-NEXT:    %[[C:.*]] = dispatch.binding set(0) binding(2) : memref<?x?xf32>
// CHECK-NEXT:    %[[A_TIED:.*]] = dispatch.tie_shape %[[A]], [%[[P0]], %[[P1]]] :
// CHECK-NEXT:    %[[B_TIED:.*]] = dispatch.tie_shape %[[B]], [%[[P2]], %[[P3]]] :
// CHECK-NEXT:    %[[C_TIED:.*]] = dispatch.tie_shape %[[C]], [%[[P4]], %[[P5]]] :
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(3) : memref<?x?xf32>
// CHECK-NEXT:    %[[R_TIED:.*]] = dispatch.tie_shape %[[R]], [%[[P4]], %[[P5]]] :
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         scf.for %[[I:.*]] = {{.*}} to
// CHECK-NEXT:    scf.for %[[J:.*]] = {{.*}} to
// CHECK-NEXT:    %[[SIZE:.*]] = affine.min {{.*}}(%[[I]])[%[[P0]], %{{[a-z0-9_]+}}]
// CHECK-NEXT:    %[[SIZE2:.*]] = affine.min {{.*}}(%[[J]])[%[[P3]], %{{[a-z0-9_]+}}]
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A_TIED]][%[[I]], 0] [%[[SIZE]], %[[P1]]] [1, 1] :
// CHECK-NEXT:    %[[B_TILE:.*]] = memref.subview %[[B_TIED]][0, %[[J]]] [%[[P2]], %[[SIZE2]]] [1, 1] :
// CHECK-NEXT:    %[[C_TILE:.*]] = memref.subview %[[C_TIED]][%[[I]], %[[J]]] [%[[SIZE]], %[[SIZE2]]] [1, 1] :
// CHECK-NEXT:    %[[R_TILE:.*]] = memref.subview %[[R_TIED]][%[[I]], %[[J]]] [%[[SIZE]], %[[SIZE2]]] [1, 1] :
// CHECK-NEXT:    memref.copy %[[C_TILE]], %[[R_TILE]] :
// CHECK-NEXT:    linalg.matmul ins(%[[A_TILE]], %[[B_TILE]] : {{.*}}) outs(%[[R_TILE]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    return

#tile = affine_map<(d0)[s0, s1] -> (s0 - d0, s1)>
func.func @bufferize_dynamic() {
  %p0 = dispatch.push_constant 0 : index
  %p1 = dispatch.push_constant 1 : index
  %p2 = dispatch.push_constant 2 : index
  %p3 = dispatch.push_constant 3 : index
  %p4 = dispatch.push_constant 4 : index
  %p5 = dispatch.push_constant 5 : index
  %a0 = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?x?xf32>>
  %b0 = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<?x?xf32>>
  %c0 = dispatch.binding set(0) binding(2) : !dispatch.readonly<tensor<?x?xf32>>
  %a = dispatch.tie_shape %a0, [%p0, %p1] : !dispatch.readonly<tensor<?x?xf32>>
  %b = dispatch.tie_shape %b0, [%p2, %p3] : !dispatch.readonly<tensor<?x?xf32>>
  %c = dispatch.tie_shape %c0, [%p4, %p5] : !dispatch.readonly<tensor<?x?xf32>>
  %r0 = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<?x?xf32>>
  %r = dispatch.tie_shape %r0, [%p4, %p5] : !dispatch.writeonly<tensor<?x?xf32>>
  %size_x = dispatch.workgroup_size 0 : index
  %size_y = dispatch.workgroup_size 1 : index
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %count_x = dispatch.workgroup_count 0 : index
  %count_y = dispatch.workgroup_count 1 : index
  %first_i = arith.muli %size_y, %y : index
  %step_i = arith.muli %size_y, %count_y : index
  %first_j = arith.muli %size_x, %x : index
  %step_j = arith.muli %size_x, %count_x : index
  scf.for %i = %first_i to %p0 step %step_i {
    scf.for %j = %first_j to %p3 step %step_j {
      %m = affine.min #tile(%i)[%p0, %size_y]
      %n = affine.min #tile(%j)[%p3, %size_x]
      %at = dispatch.load %a[%i, 0] [%m, %p1] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
      %bt = dispatch.load %b[0, %j] [%p2, %n] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
      %ct = dispatch.load %c[%i, %j] [%m, %n] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
      %t = linalg.matmul ins(%at, %bt : tensor<?x?xf32>, tensor<?x?xf32>) outs(%ct : tensor<?x?xf32>) -> tensor<?x?xf32>
      dispatch.store %t, %r[%i, %j] [%m, %n] [1, 1] : tensor<?x?xf32> -> !dispatch.writeonly<tensor<?x?xf32>>
    }
  }
  return
}
