// RUN: inplace-opt %s --split-input-file --inplace-promote-bindings | filecheck %s

// A load is a slice of the content at that time, a store the next content, which each loop around it hands on. What is
// only loaded is handed on by nobody.
// CHECK-LABEL: func.func @matmul
func.func @matmul() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[A:.*]] = dispatch.contents %{{.*}} : !dispatch.readonly<tensor<32x16xf32>> -> tensor<32x16xf32>
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<32x16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<16x32xf32>>
  %o = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<32x32xf32>>
  // CHECK: %[[O:.*]] = dispatch.contents %{{.*}} : !dispatch.readwrite<tensor<32x32xf32>> -> tensor<32x32xf32>
  // CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[T:.*]] = %[[O]]) -> (tensor<32x32xf32>) {
  scf.for %i = %c0 to %c32 step %c8 {
    // CHECK: %[[Q:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[U:.*]] = %[[T]]) -> (tensor<32x32xf32>) {
    scf.for %j = %c0 to %c32 step %c8 {
      // CHECK: tensor.extract_slice %[[A]][%[[I]], 0] [8, 16] [1, 1]
      %x = dispatch.load %a[%i, 0] [8, 16] [1, 1] : !dispatch.readonly<tensor<32x16xf32>> -> tensor<8x16xf32>
      %y = dispatch.load %b[0, %j] [16, 8] [1, 1] : !dispatch.readonly<tensor<16x32xf32>> -> tensor<16x8xf32>
      // CHECK: tensor.extract_slice %[[U]][%[[I]], %[[J]]] [8, 8] [1, 1]
      %z = dispatch.load %o[%i, %j] [8, 8] [1, 1] : !dispatch.readwrite<tensor<32x32xf32>> -> tensor<8x8xf32>
      // CHECK: %[[M:.*]] = linalg.matmul
      %r = linalg.matmul ins(%x, %y : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
      // CHECK: %[[V:.*]] = tensor.insert_slice %[[M]] into %[[U]][%[[I]], %[[J]]] [8, 8] [1, 1]
      dispatch.store %r, %o[%i, %j] [8, 8] [1, 1] : tensor<8x8xf32> -> !dispatch.readwrite<tensor<32x32xf32>>
      // CHECK: scf.yield %[[V]]
    }
    // CHECK: scf.yield %[[Q]]
  }
  // CHECK: dispatch.commit %[[R]], %[[O]]
  // CHECK-NOT: dispatch.commit
  // CHECK: return
  return
}
