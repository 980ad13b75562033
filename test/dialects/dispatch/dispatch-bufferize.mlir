// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize --canonicalize | filecheck %s

// Subviews and one matmul; the loops carry nothing.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT:   memref.alloc
// CHECK-NOT:   memref.copy
// CHECK-DAG:   %[[A:.*]] = dispatch.binding {{.*}} : memref<32x16xf32>
// CHECK-DAG:   %[[B:.*]] = dispatch.binding {{.*}} : memref<16x32xf32>
// CHECK-DAG:   %[[O:.*]] = dispatch.binding {{.*}} : memref<32x32xf32>
// CHECK:       scf.for %[[I:[a-z0-9]+]] = %{{[^ ]*}} to %{{[^ ]*}} step %{{[^ ]*}} {
// CHECK-NEXT:    scf.for %[[J:[a-z0-9]+]] = %{{[^ ]*}} to %{{[^ ]*}} step %{{[^ ]*}} {
// CHECK-NEXT:      %[[X:.*]] = memref.subview %[[A]][%[[I]], 0] [8, 16] [1, 1]
// CHECK-NEXT:      %[[Y:.*]] = memref.subview %[[B]][0, %[[J]]] [16, 8] [1, 1]
// CHECK-NEXT:      %[[Z:.*]] = memref.subview %[[O]][%[[I]], %[[J]]] [8, 8] [1, 1]
// CHECK-NEXT:      linalg.matmul ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[Z]] :
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @matmul() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<32x16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<16x32xf32>>
  %o = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<32x32xf32>>
  scf.for %i = %c0 to %c32 step %c8 {
    scf.for %j = %c0 to %c32 step %c8 {
      %x = dispatch.load %a[%i, 0] [8, 16] [1, 1] : !dispatch.readonly<tensor<32x16xf32>> -> tensor<8x16xf32>
      %y = dispatch.load %b[0, %j] [16, 8] [1, 1] : !dispatch.readonly<tensor<16x32xf32>> -> tensor<16x8xf32>
      %z = dispatch.load %o[%i, %j] [8, 8] [1, 1] : !dispatch.readwrite<tensor<32x32xf32>> -> tensor<8x8xf32>
      %r = linalg.matmul ins(%x, %y : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
      dispatch.store %r, %o[%i, %j] [8, 8] [1, 1] : tensor<8x8xf32> -> !dispatch.readwrite<tensor<32x32xf32>>
    }
  }
  return
}

// -----

// Memory that is only read is never written: what is loaded and changed goes to the memory that it is stored to.
// CHECK-LABEL: func.func @readonly
// CHECK-DAG:   %[[A:.*]] = dispatch.binding set(0) binding(0)
// CHECK-DAG:   %[[B:.*]] = dispatch.binding set(0) binding(1)
// CHECK:       memref.copy %[[A]], %[[B]]
// CHECK:       memref.store %{{.*}}, %[[B]]
// CHECK-NEXT:  return
func.func @readonly(%f: f32, %i: index) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %y = tensor.insert %f into %x[%i] : tensor<8xf32>
  dispatch.store %y, %b : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Nor is memory that the function may write but never stores to.
// CHECK-LABEL: func.func @not_stored
// CHECK:       %[[A:.*]] = dispatch.binding
// CHECK:       %[[N:.*]] = memref.alloc
// CHECK:       memref.copy %[[A]], %[[N]]
// CHECK:       memref.store %{{.*}}, %[[N]]
func.func @not_stored(%f: f32, %i: index) -> tensor<8xf32> {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %y = tensor.insert %f into %x[%i] : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Sizes and byte offsets stay with the declaration.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[O:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK:       %[[A:.*]] = dispatch.binding set(0) binding(0) offset(%[[O]]) : memref<?x4xf32>
// CHECK:       %[[T:.*]] = dispatch.tie_shape %[[A]], [%[[M]]] : memref<?x4xf32>
// CHECK:       linalg.fill ins(%{{.*}}) outs(%[[T]] :
// CHECK-NOT:   !dispatch
func.func @dynamic(%o: index, %m: index, %f: f32) {
  %a = dispatch.binding set(0) binding(0) offset(%o) : !dispatch.writeonly<tensor<?x4xf32>>
  %t = dispatch.tie_shape %a, [%m] : !dispatch.writeonly<tensor<?x4xf32>>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %x = linalg.fill ins(%f : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  dispatch.store %x, %t : tensor<?x4xf32> -> !dispatch.writeonly<tensor<?x4xf32>>
  return
}
