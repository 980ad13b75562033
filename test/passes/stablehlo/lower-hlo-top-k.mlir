// RUN: inplace-opt %s --inplace-lower-hlo-top-k | filecheck %s

// CHECK-NOT: @compare
func.func @compare(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}

// Two calls with one comparator.
// CHECK-LABEL: func.func @f
//       CHECK:   %[[SORTED:.*]] = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}>
//       CHECK:     stablehlo.compare LT
//       CHECK:   %[[LEAST:.*]] = stablehlo.slice %[[SORTED]] [0:4, 0:3]
//       CHECK:   "stablehlo.sort"(%[[LEAST]]) <{dimension = 0 : i64, is_stable = true}>
//       CHECK:   stablehlo.slice %{{.*}} [0:2, 0:3]
func.func @f(%x: tensor<4x9xf32>, %a: tensor<f32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @ApproxTopK(%x, %a) {called_computations = [@compare],
      mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 3 : i64}}
      : (tensor<4x9xf32>, tensor<f32>) -> tensor<4x3xf32>
  %1 = stablehlo.custom_call @ApproxTopK(%0, %a) {called_computations = [@compare],
      mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}}
      : (tensor<4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-NOT: @descending
func.func private @descending(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// The comparator ends as functions of artifacts do.
// CHECK-LABEL: func.func @of_an_artifact
//       CHECK:   %[[SORTED:.*]] = "stablehlo.sort"(%arg0)
//       CHECK:     %[[ORDER:.*]] = stablehlo.compare GT
//       CHECK:     stablehlo.return %[[ORDER]] : tensor<i1>
//       CHECK:   stablehlo.slice %[[SORTED]] [0:3]
func.func @of_an_artifact(%x: tensor<9xf32>, %a: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @ApproxTopK(%x, %a) {called_computations = [@descending],
      mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 3 : i64}}
      : (tensor<9xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
