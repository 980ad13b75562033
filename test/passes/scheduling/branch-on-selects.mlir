// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(inplace-branch-on-selects))' | filecheck %s
// What is left can be lowered by elements: everything then has one shape.
// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(inplace-branch-on-selects,convert-elementwise-to-linalg))' | filecheck %s --check-prefix=ELEMENTS

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[C:.*]]: i1, %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>)
// ELEMENTS-LABEL: func.func @dynamic
// ELEMENTS-NOT: linalg.generic
func.func @dynamic(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: %[[IF:.*]] = scf.if %[[C]] -> (tensor<?xf32>) {
  // CHECK-NEXT:   scf.yield %[[A]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   scf.yield %[[B]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[IF]]
  %0 = arith.select %c, %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// One size that is open is enough, in any region; the choice of a choice is one of branches.
// CHECK-LABEL: func.func @nested
// ELEMENTS-LABEL: func.func @nested
// ELEMENTS-NOT: linalg.generic
func.func @nested(%c: i1, %a: tensor<4x?xf32>, %b: tensor<4x?xf32>, %n: index) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: %[[ONE:.*]] = scf.if
  // CHECK: %[[OTHER:.*]] = scf.if
  // CHECK-NEXT: scf.yield %[[ONE]]
  // CHECK: scf.yield %[[OTHER]]
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> tensor<4x?xf32> {
    %1 = arith.select %c, %t, %b : tensor<4x?xf32>
    %2 = arith.select %c, %1, %a : tensor<4x?xf32>
    scf.yield %2 : tensor<4x?xf32>
  }
  return %0 : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-6: arith.select
// CHECK-NOT: scf.if
// ELEMENTS-LABEL: func.func @left_alone
// ELEMENTS-COUNT-2: linalg.generic
func.func @left_alone(%c: i1, %p: tensor<?xi1>, %a: tensor<?xf32>, %a2: tensor<?xf32>, %b: tensor<4xf32>,
                      %b2: tensor<4xf32>, %i: index, %v: vector<4xf32>,
                      %m: memref<?xf32>, %u: tensor<*xf32>)
    -> (tensor<?xf32>, tensor<4xf32>, index, vector<4xf32>, memref<?xf32>, tensor<*xf32>) {
  %0 = arith.select %p, %a, %a2 : tensor<?xi1>, tensor<?xf32>
  %1 = arith.select %c, %b, %b2 : tensor<4xf32>
  %2 = arith.select %c, %i, %i : index
  %3 = arith.select %c, %v, %v : vector<4xf32>
  %4 = arith.select %c, %m, %m : memref<?xf32>
  %5 = arith.select %c, %u, %u : tensor<*xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?xf32>, tensor<4xf32>, index, vector<4xf32>, memref<?xf32>, tensor<*xf32>
}
