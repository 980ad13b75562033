// RUN: inplace-opt %s --inplace-lower-hlo-sort --canonicalize | filecheck %s

// 100 elements: widths 1, 4, 16 and 64, each merged twice; one line of scratch for all rows.
// CHECK-LABEL: func.func @rows
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : index
//       CHECK:   %[[SCRATCH:.*]] = tensor.empty() : tensor<100xf32>
//       CHECK:   scf.for %[[I:.*]] = %{{.*}} to %[[C5]] step %{{.*}} iter_args(%[[X:.*]] = %arg0) -> (tensor<5x100xf32>)
//       CHECK:     %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 100] [1, 1] : tensor<5x100xf32> to tensor<100xf32>
//       CHECK:     %[[SORTED:.*]]:2 = scf.for %{{.*}} to %[[C4]] step %{{.*}} iter_args(%[[A:.*]] = %[[ROW]], %[[B:.*]] = %[[SCRATCH]])
//       CHECK:       %[[MERGED:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[B]])
//       CHECK:         tensor.extract %[[A]]
//       CHECK:         stablehlo.compare
//       CHECK:       %[[BACK:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
//       CHECK:         tensor.extract %[[MERGED]]
//       CHECK:       scf.yield %[[BACK]], %[[MERGED]]
//       CHECK:     tensor.insert_slice %[[SORTED]]#0 into %[[X]][%[[I]], 0] [1, 100] [1, 1]
func.func @rows(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x100xf32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}

// One element is sorted.
// CHECK-LABEL: func.func @one
//  CHECK-NEXT:   return %arg0
func.func @one(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
