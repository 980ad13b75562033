// RUN: inplace-opt %s | filecheck %s
// RUN: inplace-opt %s | inplace-opt | filecheck %s
// RUN: inplace-opt %s --mlir-print-op-generic | inplace-opt | filecheck %s
// RUN: inplace-opt %s --canonicalize --cse | filecheck %s --check-prefix=OPT

// The dispatch dialect is printed in the lighter form, which parses back, and canonicalize and cse respect its effects.

// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[I:.*]]: index)
func.func @slices(%i: index) {
  // CHECK: %[[N:.*]] = dispatch.push_constant 0 : index
  %n = dispatch.push_constant 0 : index
  // CHECK: %[[A:.*]] = dispatch.binding set(0) binding(0) offset(%[[I]]) sizes(%[[N]]) : !dispatch.readonly<tensor<?x8xf32>>
  %a = dispatch.binding set(0) binding(0) offset(%i) sizes(%n) : !dispatch.readonly<tensor<?x8xf32>>
  // CHECK: %[[B:.*]] = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<?x8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<?x8xf32>>
  // CHECK: %[[T:.*]] = dispatch.tie_shape %[[B]], [%[[N]]] : !dispatch.readwrite<tensor<?x8xf32>>
  %t = dispatch.tie_shape %b, [%n] : !dispatch.readwrite<tensor<?x8xf32>>
  // CHECK: %[[V:.*]] = dispatch.load %[[A]][%[[I]], 0] [1, 8] [1, 1] : !dispatch.readonly<tensor<?x8xf32>> -> tensor<8xf32>
  %v = dispatch.load %a[%i, 0] [1, 8] [1, 1] : !dispatch.readonly<tensor<?x8xf32>> -> tensor<8xf32>
  // CHECK: dispatch.store %[[V]], %[[T]][0, %[[I]]] [1, 8] [1, %[[N]]] : tensor<8xf32> -> !dispatch.readwrite<tensor<?x8xf32>>
  dispatch.store %v, %t[0, %i] [1, 8] [1, %n] : tensor<8xf32> -> !dispatch.readwrite<tensor<?x8xf32>>
  // CHECK: return
  return
}

// CHECK-LABEL: func.func @loads_around_a_store
// OPT-LABEL: func.func @loads_around_a_store
func.func @loads_around_a_store() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // OPT: %[[B:.*]] = dispatch.binding set(0) binding(0)
  // OPT-NOT: dispatch.binding
  %b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<4xf32>>
  %same = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<4xf32>>
  %unused = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<4xf32>>
  // OPT: %[[BEFORE:.*]] = dispatch.load %[[B]]
  // OPT-NOT: dispatch.load
  %dead = dispatch.load %unused : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  %before = dispatch.load %b : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  %again = dispatch.load %same : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // OPT: dispatch.store
  dispatch.store %zero, %b : tensor<4xf32> -> !dispatch.readwrite<tensor<4xf32>>
  // OPT-NEXT: %[[AFTER:.*]] = dispatch.load %[[B]]
  %after = dispatch.load %same : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  // OPT-NEXT: return %[[BEFORE]], %[[BEFORE]], %[[AFTER]]
  return %before, %again, %after : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
