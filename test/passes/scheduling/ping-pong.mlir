// RUN: inplace-opt %s --inplace-ping-pong='print-decisions' 2>&1 | filecheck %s

// The first and the last element are copied once; then old and new elements take turns.
// CHECK: remark: carried tensor #0 takes turns with a second one
// CHECK: remark: carried tensor #0 is updated in place
// CHECK-LABEL: func.func @neighbours
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<64xf32>
//       CHECK:   %[[A:.*]] = tensor.extract_slice %arg0[0] [1] [1]
//       CHECK:   %[[B:.*]] = tensor.insert_slice %[[A]] into %[[E]][0] [1] [1]
//       CHECK:   %[[C:.*]] = tensor.extract_slice %arg0[63] [1] [1]
//       CHECK:   %[[D:.*]] = tensor.insert_slice %[[C]] into %[[B]][63] [1] [1]
//       CHECK:   %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[U:.*]] = %arg0, %[[V:.*]] = %[[D]])
//       CHECK:     tensor.extract_slice %[[U]][0] [62] [1]
//       CHECK:     tensor.extract_slice %[[U]][2] [62] [1]
//       CHECK:     %[[NEW:.*]] = tensor.insert_slice %{{.*}} into %[[V]][1] [62] [1]
//       CHECK:     scf.yield %[[NEW]], %[[U]]
//       CHECK:   return %[[R]]#0
func.func @neighbours(%u0: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %u0) -> (tensor<64xf32>) {
    %left = tensor.extract_slice %u[0] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %right = tensor.extract_slice %u[2] [62] [1] : tensor<64xf32> to tensor<62xf32>
    %e = tensor.empty() : tensor<62xf32>
    %sum = linalg.add ins(%left, %right : tensor<62xf32>, tensor<62xf32>) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %new = tensor.insert_slice %sum into %u[1] [62] [1] : tensor<62xf32> into tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// Each element by itself: one piece of memory is enough.
// CHECK-LABEL: func.func @elements
//       CHECK:   scf.for {{.*}} iter_args(%[[U:.*]] = %arg0) ->
//       CHECK:     linalg.exp ins(%[[U]] : tensor<64xf32>) outs(%[[U]] : tensor<64xf32>)
func.func @elements(%u0: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %u0) -> (tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %new = linalg.exp ins(%u : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// The slice moves: what lies outside of it is not the same in two versions.
// CHECK-LABEL: func.func @moving
//       CHECK:   scf.for {{.*}} iter_args(%[[U:.*]] = %arg0) -> (tensor<64xf32>)
//       CHECK:     tensor.insert_slice %{{.*}} into %[[U]][
func.func @moving(%u0: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %r = scf.for %t = %c0 to %c24 step %c1 iter_args(%u = %u0) -> (tensor<64xf32>) {
    %left = tensor.extract_slice %u[0] [40] [1] : tensor<64xf32> to tensor<40xf32>
    %right = tensor.extract_slice %u[24] [40] [1] : tensor<64xf32> to tensor<40xf32>
    %e = tensor.empty() : tensor<40xf32>
    %sum = linalg.add ins(%left, %right : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
    %new = tensor.insert_slice %sum into %u[%t] [40] [1] : tensor<40xf32> into tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
