// RUN: inplace-opt %s --split-input-file --inplace-outline-kernels=crowd=3 | filecheck %s

// A function with so many bodies gives all of them away.
// CHECK-LABEL: func.func @three
// CHECK-NOT: linalg
// CHECK: call @inplace_kernel
// CHECK: call @inplace_kernel
// CHECK: call @inplace_kernel
// CHECK: return
// CHECK: func.func private @inplace_kernel
// CHECK: func.func private @inplace_kernel
// CHECK: func.func private @inplace_kernel
func.func @three(%a: memref<64x8xf32>) {
  linalg.exp ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.ceil ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  return
}

// -----

// Small ops do not count, and stay.
// CHECK-LABEL: func.func @two
// CHECK-NOT: call
// CHECK: return
func.func @two(%a: memref<64x8xf32>, %b: memref<4x4xf32>) {
  linalg.exp ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.ceil ins(%b : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}
