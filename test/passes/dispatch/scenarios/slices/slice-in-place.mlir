// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// A whole tensor that is stored where it was loaded: nothing happens.

// CHECK-LABEL: func.func @slice_in_place(
// CHECK-NOT:     {{memref.alloc|memref.copy|linalg.(generic|fill|copy|matmul)}}
// CHECK:         return

func.func @slice_in_place() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<?x?xi32>>
  %v = dispatch.load %a : !dispatch.readwrite<tensor<?x?xi32>> -> tensor<?x?xi32>
  dispatch.store %v, %a : tensor<?x?xi32> -> !dispatch.readwrite<tensor<?x?xi32>>
  return
}
