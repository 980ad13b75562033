// RUN: inplace-opt %s --inplace-one-shot-bufferize | filecheck %s

// What nobody accesses is declared all the same, as callers have to give it.
// CHECK-LABEL: func.func @unused
// CHECK:       %[[A:.*]] = dispatch.binding {{.*}} : memref<?xf32>
// CHECK-NEXT:  %{{.*}} = dispatch.tie_shape %[[A]], [%{{.*}}] : memref<?xf32>
// CHECK-NEXT:  return
func.func @unused(%m: index) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?xf32>>
  %t = dispatch.tie_shape %a, [%m] : !dispatch.readonly<tensor<?xf32>>
  return
}
