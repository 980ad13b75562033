// A running sum, element by element: each trip reads what the trip before it has written. The tensor that the loop
// carries is updated in place, one element at a time.
//
//   inplace-run examples/prefix_sum.mlir --arg 16xi64:iota --check 'np.cumsum(a0)' --print-result

func.func @main(%t: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xi64>
  %sums = scf.for %i = %c1 to %n step %c1 iter_args(%u = %t) -> tensor<?xi64> {
    %j = arith.subi %i, %c1 : index
    %before = tensor.extract %u[%j] : tensor<?xi64>
    %here = tensor.extract %u[%i] : tensor<?xi64>
    %sum = arith.addi %before, %here : i64
    %next = tensor.insert %sum into %u[%i] : tensor<?xi64>
    scf.yield %next : tensor<?xi64>
  }
  return %sums : tensor<?xi64>
}

// RUN: inplace-run %s --arg 16xi64:iota --check 'np.cumsum(a0)'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[T:.*]]: memref<?xi64
// CHECK-NOT: tensor
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[T]][
// CHECK: return %[[T]]
