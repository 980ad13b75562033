// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// Vectors are written to the tile that they were read from.

// CHECK-LABEL: func.func @bufferize_transfer_op_inplace(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<2x3xf32>
// CHECK-NEXT:    %[[B:.*]] = dispatch.binding set(0) binding(1) : memref<3x4xf32>
// CHECK-NEXT:    %[[C:.*]] = dispatch.binding set(0) binding(2) : memref<2x4xf32>
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         scf.for %[[I:.*]] = {{.*}} to
// CHECK-NEXT:    %[[B_TILE:.*]] = memref.subview %[[B]][0, %[[I]]] [3, 1] [1, 1] :
// CHECK-NEXT:    %[[C_TILE:.*]] = memref.subview %[[C]][0, %[[I]]] [2, 1] [1, 1] :
// CHECK-NEXT:    vector.transfer_read %[[A]][%c0, %c0]
// CHECK-NEXT:    vector.transfer_read %[[A]][%c1, %c0]
// CHECK-NEXT:    vector.transfer_read %[[B_TILE]][%c0, %c0]
// CHECK-NEXT:    vector.transfer_read %[[C_TILE]][%c0, %c0]
// CHECK-NEXT:    vector.transfer_read %[[C_TILE]][%c1, %c0]
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         vector.transfer_write {{.*}}, %[[C_TILE]][%c0, %c0]
// CHECK-NEXT:    vector.transfer_write {{.*}}, %[[C_TILE]][%c1, %c0]
// CHECK-NEXT:    }
// CHECK-NEXT:    return

#product = {
  indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
func.func @bufferize_transfer_op_inplace() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<2x3xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<3x4xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<2x4xf32>>
  %x = dispatch.workgroup_id 0 : index
  %count = dispatch.workgroup_count 0 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %x to %c4 step %count {
    %at = dispatch.load %a : !dispatch.readonly<tensor<2x3xf32>> -> tensor<2x3xf32>
    %bt = dispatch.load %b[0, %j] [3, 1] [1, 1] : !dispatch.readonly<tensor<3x4xf32>> -> tensor<3x1xf32>
    %ct = dispatch.load %c[0, %j] [2, 1] [1, 1] : !dispatch.readwrite<tensor<2x4xf32>> -> tensor<2x1xf32>
    %row0 = vector.transfer_read %at[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<2x3xf32>, vector<1x3xf32>
    %row1 = vector.transfer_read %at[%c1, %c0], %zero {in_bounds = [true, true]} : tensor<2x3xf32>, vector<1x3xf32>
    %column = vector.transfer_read %bt[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<3x1xf32>, vector<3x1xf32>
    %old0 = vector.transfer_read %ct[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<2x1xf32>, vector<1x1xf32>
    %old1 = vector.transfer_read %ct[%c1, %c0], %zero {in_bounds = [true, true]} : tensor<2x1xf32>, vector<1x1xf32>
    %new0 = vector.contract #product %row0, %column, %old0 : vector<1x3xf32>, vector<3x1xf32> into vector<1x1xf32>
    %new1 = vector.contract #product %row1, %column, %old1 : vector<1x3xf32>, vector<3x1xf32> into vector<1x1xf32>
    %w0 = vector.transfer_write %new0, %ct[%c0, %c0] {in_bounds = [true, true]} : vector<1x1xf32>, tensor<2x1xf32>
    %w1 = vector.transfer_write %new1, %w0[%c1, %c0] {in_bounds = [true, true]} : vector<1x1xf32>, tensor<2x1xf32>
    dispatch.store %w1, %c[0, %j] [2, 1] [1, 1] : tensor<2x1xf32> -> !dispatch.readwrite<tensor<2x4xf32>>
  }
  return
}
