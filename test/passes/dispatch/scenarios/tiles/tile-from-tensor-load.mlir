// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The product accumulates in the output's tile, into which the initial tile is copied.

// CHECK-LABEL: func.func @tile_from_tensor_load(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<4x5xf32>
// CHECK-NEXT:    %[[B:.*]] = dispatch.binding set(0) binding(1) : memref<5x6xf32>
// CHECK-NEXT:    %[[C:.*]] = dispatch.binding set(0) binding(2) : memref<4x6xf32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(3) : memref<4x6xf32>
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         scf.for %[[I:.*]] = {{.*}} to
// CHECK-NEXT:    scf.for %[[J:.*]] = {{.*}} to
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][%[[I]], 0] [2, 5] [1, 1] :
// CHECK-NEXT:    %[[B_TILE:.*]] = memref.subview %[[B]][0, %[[J]]] [5, 3] [1, 1] :
// CHECK-NEXT:    %[[C_TILE:.*]] = memref.subview %[[C]][%[[I]], %[[J]]] [2, 3] [1, 1] :
// CHECK-NEXT:    %[[R_TILE:.*]] = memref.subview %[[R]][%[[I]], %[[J]]] [2, 3] [1, 1] :
// CHECK-NEXT:    memref.copy %[[C_TILE]], %[[R_TILE]] :
// CHECK-NEXT:    linalg.matmul ins(%[[A_TILE]], %[[B_TILE]] : {{.*}}) outs(%[[R_TILE]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    return

func.func @tile_from_tensor_load() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x5xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<5x6xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.readonly<tensor<4x6xf32>>
  %r = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<4x6xf32>>
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %count_x = dispatch.workgroup_count 0 : index
  %count_y = dispatch.workgroup_count 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %first_i = arith.muli %y, %c2 : index
  %step_i = arith.muli %count_y, %c2 : index
  %first_j = arith.muli %x, %c3 : index
  %step_j = arith.muli %count_x, %c3 : index
  scf.for %i = %first_i to %c4 step %step_i {
    scf.for %j = %first_j to %c6 step %step_j {
      %at = dispatch.load %a[%i, 0] [2, 5] [1, 1] : !dispatch.readonly<tensor<4x5xf32>> -> tensor<2x5xf32>
      %bt = dispatch.load %b[0, %j] [5, 3] [1, 1] : !dispatch.readonly<tensor<5x6xf32>> -> tensor<5x3xf32>
      %ct = dispatch.load %c[%i, %j] [2, 3] [1, 1] : !dispatch.readonly<tensor<4x6xf32>> -> tensor<2x3xf32>
      %m = linalg.matmul ins(%at, %bt : tensor<2x5xf32>, tensor<5x3xf32>) outs(%ct : tensor<2x3xf32>) -> tensor<2x3xf32>
      dispatch.store %m, %r[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> -> !dispatch.writeonly<tensor<4x6xf32>>
    }
  }
  return
}
