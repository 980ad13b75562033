// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// Casts are replayed on the output's tile: fill and product write to it.

// CHECK-LABEL: func.func @cast_followed_by_store(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<4x8x16xf32>
// CHECK-NEXT:    %[[B:.*]] = dispatch.binding set(0) binding(1) : memref<4x16x6xf32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(2) : memref<4x8x6xf32>
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         scf.for %[[I:.*]] = {{.*}} to
// CHECK-NEXT:    scf.for %[[J:.*]] = {{.*}} to
// CHECK-NEXT:    scf.for %[[K:.*]] = {{.*}} to
// CHECK-NEXT:    %[[SIZE:.*]] = affine.min {{.*}}(%[[J]])
// CHECK-NEXT:    %[[SIZE2:.*]] = affine.min {{.*}}(%[[K]])
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][%[[I]], %[[J]], 0] [1, %[[SIZE]], 16] [1, 1, 1] :
// CHECK-NEXT:    %[[B_TILE:.*]] = memref.subview %[[B]][%[[I]], 0, %[[K]]] [1, 16, %[[SIZE2]]] [1, 1, 1] :
// CHECK-NEXT:    %[[R_TILE:.*]] = memref.subview %[[R]][%[[I]], %[[J]], %[[K]]] [1, %[[SIZE]], %[[SIZE2]]] [1, 1, 1] :
// CHECK-NEXT:    linalg.fill ins(%cst : f32) outs(%[[R_TILE]] :
// CHECK-NEXT:    linalg.batch_matmul ins(%[[A_TILE]], %[[B_TILE]] : {{.*}}) outs(%[[R_TILE]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    return

#tile = affine_map<(d0)[s0, s1] -> (s0 - d0, s1)>
func.func @cast_followed_by_store() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x8x16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<4x16x6xf32>>
  %r = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<4x8x6xf32>>
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %count_x = dispatch.workgroup_count 0 : index
  %count_y = dispatch.workgroup_count 1 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %first_i = arith.muli %y, %c4 : index
  %step_i = arith.muli %count_y, %c4 : index
  %first_j = arith.muli %x, %c3 : index
  %step_j = arith.muli %count_x, %c3 : index
  %c0 = arith.constant 0 : index
  scf.for %k = %c0 to %c4 step %c1 {
    scf.for %i = %first_i to %c8 step %step_i {
      scf.for %j = %first_j to %c6 step %step_j {
        %m = affine.min #tile(%i)[%c8, %c4]
        %n = affine.min #tile(%j)[%c6, %c3]
        %at = dispatch.load %a[%k, %i, 0] [1, %m, 16] [1, 1, 1] : !dispatch.readonly<tensor<4x8x16xf32>> -> tensor<1x?x16xf32>
        %bt = dispatch.load %b[%k, 0, %j] [1, 16, %n] [1, 1, 1] : !dispatch.readonly<tensor<4x16x6xf32>> -> tensor<1x16x?xf32>
        %ac = tensor.cast %at : tensor<1x?x16xf32> to tensor<1x4x16xf32>
        %bc = tensor.cast %bt : tensor<1x16x?xf32> to tensor<1x16x3xf32>
        %e = tensor.empty() : tensor<1x4x3xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
        %t = linalg.batch_matmul ins(%ac, %bc : tensor<1x4x16xf32>, tensor<1x16x3xf32>) outs(%f : tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
        %u = tensor.cast %t : tensor<1x4x3xf32> to tensor<1x?x?xf32>
        dispatch.store %u, %r[%k, %i, %j] [1, %m, %n] [1, 1, 1] : tensor<1x?x?xf32> -> !dispatch.writeonly<tensor<4x8x6xf32>>
      }
    }
  }
  return
}
