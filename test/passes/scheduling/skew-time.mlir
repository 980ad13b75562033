// RUN: inplace-opt %s --inplace-ping-pong --inplace-skew-time='print-kept machine="l2=1152"' 2>&1 | filecheck %s
// RUN: inplace-opt %s --inplace-ping-pong --inplace-skew-time='threads=2 machine="l2=1152"' | filecheck %s --check-prefix=BANDS

// CHECK: remark: the sweeps of this loop are not skewed, because the sweep depends on the number of the iteration

// Groups of sweeps, blocks of two rows, pairs of sweeps: the second one is a row behind.
// CHECK-LABEL: func.func @neighbours
//       CHECK:   %[[ALL:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %arg0, %{{.*}} = %{{.*}})
//       CHECK:     scf.for %[[ROW:.*]] =
//       CHECK:       scf.for %[[PAIR:.*]] = {{.*}} iter_args(%[[EVEN:.*]] = %{{.*}}, %[[ODD:.*]] = %{{.*}})
//       CHECK:         tensor.extract_slice %[[EVEN]][
//       CHECK:         tensor.extract_slice %[[EVEN]][
//       CHECK:         tensor.extract_slice %[[ODD]][
//       CHECK:         linalg.add
//       CHECK:         %[[NEXT:.*]] = tensor.insert_slice %{{.*}} into %[[ODD]][
//       CHECK:         tensor.extract_slice %[[NEXT]][
//       CHECK:         tensor.extract_slice %[[EVEN]][
//       CHECK:         linalg.add
//       CHECK:         %[[LAST:.*]] = tensor.insert_slice %{{.*}} into %[[EVEN]][
//       CHECK:         scf.yield %[[LAST]], %[[NEXT]]
//       CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %[[ALL]]#0, %{{.*}} = %[[ALL]]#1)

// With two threads each has half of the rows first, then one of them those around the border, five on either side.
// BANDS-LABEL: func.func @neighbours
//       BANDS:   scf.for
//       BANDS:     scf.for %[[PART:.*]] = %{{.*}} to %{{.*}} step
//       BANDS:       scf.forall (%[[THREAD:.*]]) in (2) shared_outs(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
//       BANDS:         arith.cmpi eq, %[[THREAD]], %{{.*}} : index
//       BANDS:         arith.cmpi eq, %[[THREAD]], %{{.*}} : index
//       BANDS:         arith.cmpi eq, %[[PART]], %{{.*}} : index
//       BANDS:         %[[OWN_A:.*]] = tensor.extract_slice %[[A]][%[[FIRST:.*]], 0] [%[[SIZE:.*]], 9] [1, 1]
//       BANDS:         %[[OWN_B:.*]] = tensor.extract_slice %[[B]][%[[FIRST]], 0] [%[[SIZE]], 9] [1, 1]
//       BANDS:         %[[NEW:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[OWN_A]], %{{.*}} = %[[OWN_B]])
//       BANDS:         tensor.parallel_insert_slice %[[NEW]]#0 into %[[A]][%[[FIRST]], 0] [%[[SIZE]], 9] [1, 1]
//       BANDS:         tensor.parallel_insert_slice %[[NEW]]#1 into %[[B]][%[[FIRST]], 0] [%[[SIZE]], 9] [1, 1]
//       BANDS:   scf.for {{.*}} iter_args
func.func @neighbours(%a: tensor<30x9xf32>, %n: index) -> tensor<30x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> (tensor<30x9xf32>) {
    %x = tensor.extract_slice %u[0, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
    %y = tensor.extract_slice %u[2, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
    %e = tensor.empty() : tensor<28x9xf32>
    %s = linalg.add ins(%x, %y : tensor<28x9xf32>, tensor<28x9xf32>) outs(%e : tensor<28x9xf32>) -> tensor<28x9xf32>
    %new = tensor.insert_slice %s into %u[1, 0] [28, 9] [1, 1] : tensor<28x9xf32> into tensor<30x9xf32>
    scf.yield %new : tensor<30x9xf32>
  }
  return %r : tensor<30x9xf32>
}

// What it computes depends on the sweep.
// CHECK-LABEL: func.func @numbered
// CHECK-COUNT-1: scf.for
//     CHECK-NOT: scf.for
func.func @numbered(%a: tensor<30x9xf32>, %w: tensor<90x9xf32>, %n: index) -> tensor<30x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> (tensor<30x9xf32>) {
    %x = tensor.extract_slice %u[0, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
    %e = tensor.empty() : tensor<28x9xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%x : tensor<28x9xf32>) outs(%e : tensor<28x9xf32>) {
    ^bb0(%p: f32, %o: f32):
      %f = tensor.extract %w[%t, %c1] : tensor<90x9xf32>
      %z = arith.addf %p, %f : f32
      linalg.yield %z : f32
    } -> tensor<28x9xf32>
    %new = tensor.insert_slice %s into %u[1, 0] [28, 9] [1, 1] : tensor<28x9xf32> into tensor<30x9xf32>
    scf.yield %new : tensor<30x9xf32>
  }
  return %r : tensor<30x9xf32>
}
