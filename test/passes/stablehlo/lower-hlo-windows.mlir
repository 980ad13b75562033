// RUN: inplace-opt %s --inplace-lower-hlo-windows --canonicalize | filecheck %s

// CHECK-LABEL: func.func @f
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[CM1:.*]] = arith.constant -1 : index
//       CHECK:   %[[FILLED:.*]] = scf.for {{.*}} -> (tensor<9xf32>)
//       CHECK:   scf.for %[[I:.*]] = %c0 to {{.*}} iter_args(%[[OLD:.*]] = %[[FILLED]]) -> (tensor<9xf32>)
//       CHECK:     %[[SCALED:.*]] = arith.muli %[[I]], %[[C2]]
//       CHECK:     %[[START:.*]] = arith.addi %[[SCALED]], %[[CM1]]
//       CHECK:     %[[FOUND:.*]]:3 = scf.for %[[J:.*]] = %c0 to {{.*}} -> (i1, f32, index)
//       CHECK:       %[[PLACE:.*]] = arith.addi %[[START]], %[[J]]
//       CHECK:       arith.cmpi ult, %[[PLACE]]
//       CHECK:       stablehlo.compare GE
//       CHECK:     scf.if %[[FOUND]]#0 -> (tensor<9xf32>)
//       CHECK:       stablehlo.add
//       CHECK:       tensor.insert %{{.*}} into %[[OLD]][%[[FOUND]]#2]
func.func @f(%x: tensor<9xf32>, %s: tensor<5xf32>, %init: tensor<f32>) -> tensor<9xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %init) <{window_dimensions = array<i64: 3>,
      window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
