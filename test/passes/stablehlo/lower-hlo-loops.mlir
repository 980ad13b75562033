// RUN: inplace-opt %s --inplace-lower-hlo-loops --canonicalize --cse | filecheck %s

// A counter below a constant; the tensor alone is carried.
// CHECK-LABEL: func.func @constant_bound
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C8:.*]] = arith.constant 8 : index
//       CHECK:   %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%[[A:.*]] = %arg0) -> (tensor<8xf32>)
//       CHECK:     %[[COUNT:.*]] = arith.index_cast %[[I]] : index to i32
//       CHECK:     %[[TENSOR:.*]] = tensor.from_elements %[[COUNT]] : tensor<i32>
//       CHECK:     %[[NEXT:.*]] = stablehlo.dynamic_update_slice %[[A]], %arg1, %[[TENSOR]]
//       CHECK:     scf.yield %[[NEXT]] : tensor<8xf32>
//       CHECK:   return %[[LOOP]]
func.func @constant_bound(%x: tensor<8xf32>, %u: tensor<1xf32>) -> tensor<8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %c8 = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// A counter from a number to a carried bound that no iteration changes; what it is after the loop.
// CHECK-LABEL: func.func @carried_bound
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//       CHECK:   %[[N:.*]] = tensor.extract %arg1[] : tensor<i32>
//       CHECK:   %[[END:.*]] = arith.index_cast %[[N]] : i32 to index
//       CHECK:   scf.for %{{.*}} = %[[C2]] to %[[END]]
//       CHECK:   %[[LAST:.*]] = arith.maxsi %[[END]], %[[C2]] : index
//       CHECK:   arith.index_cast %[[LAST]] : index to i32
func.func @carried_bound(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>, tensor<i32>) {
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c2, %end = %n, %a = %x) : tensor<i32>, tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.sine %a : tensor<8xf32>
    %j = stablehlo.add %c1, %i : tensor<i32>
    stablehlo.return %j, %end, %b : tensor<i32>, tensor<i32>, tensor<8xf32>
  }
  return %0#2, %0#0, %0#1 : tensor<8xf32>, tensor<i32>, tensor<i32>
}

// An unsigned bound from outside.
// CHECK-LABEL: func.func @unsigned_bound
//       CHECK:   %[[N:.*]] = tensor.extract %arg1[] : tensor<ui32>
//       CHECK:   %[[BITS:.*]] = builtin.unrealized_conversion_cast %[[N]] : ui32 to i32
//       CHECK:   %[[END:.*]] = arith.index_castui %[[BITS]] : i32 to index
//       CHECK:   scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func @unsigned_bound(%x: tensor<8xf32>, %n: tensor<ui32>) -> tensor<8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<ui32>
  %0:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<ui32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c1 = stablehlo.constant dense<1> : tensor<ui32>
    %b = stablehlo.sine %a : tensor<8xf32>
    %j = stablehlo.add %i, %c1 : tensor<ui32>
    stablehlo.return %j, %b : tensor<ui32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// A step that may wrap around, and a bound that an iteration changes.
// CHECK-LABEL: func.func @other_loops
//   CHECK-NOT:   scf.for
//       CHECK:   scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32
//   CHECK-NOT:   scf.for
//       CHECK:   scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32) -> (i32, i32)
//       CHECK:     %[[P:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
//       CHECK:     scf.condition(%[[P]])
func.func @other_loops(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %c0) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %j = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  %1:2 = stablehlo.while(%i = %c0, %end = %n) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %c : tensor<i32>
    %e = stablehlo.multiply %end, %i : tensor<i32>
    stablehlo.return %j, %e : tensor<i32>, tensor<i32>
  }
  return %0, %1#0 : tensor<i32>, tensor<i32>
}
