// RUN: inplace-opt %s --inplace-simplify-hlo | filecheck %s

// CHECK-LABEL: func.func @nothing
//  CHECK-NEXT:   tensor.empty() : tensor<0xf32>
//  CHECK-NEXT:   return %arg0
func.func @nothing(%x: tensor<4xf32>, %y: tensor<0xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %y, %y : tensor<0xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %2 = stablehlo.optimization_barrier %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A region of an op that goes, too.
// CHECK-LABEL: func.func @sort
//  CHECK-NEXT:   %[[EMPTY:.*]] = tensor.empty() : tensor<0xf32>
//  CHECK-NEXT:   return %[[EMPTY]]
func.func @sort(%x: tensor<0xf32>) -> tensor<0xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: func.func @reductions
//   CHECK-DAG:   %[[INIT:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
//   CHECK-DAG:   %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %arg2)
//       CHECK:   return %arg0, %[[INIT]], %[[SUM]]
func.func @reductions(%x: tensor<4xf32>, %y: tensor<0x3xf32>, %init: tensor<f32>)
    -> (tensor<4xf32>, tensor<3xf32>, tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = []
      : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%y init: %init) applies stablehlo.add across dimensions = [0]
      : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<4xf32>, tensor<3xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @parts
//   CHECK-DAG:   %[[BOTH:.*]] = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<4xf32>, tensor<4xf32>)
//   CHECK-DAG:   %[[PADDED:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
//       CHECK:   return %[[BOTH]], %[[PADDED]], %arg0
func.func @parts(%x: tensor<4xf32>, %y: tensor<0xf32>, %z: tensor<f32>, %i: tensor<i32>)
    -> (tensor<8xf32>, tensor<3xf32>, tensor<4xf32>) {
  %0 = stablehlo.concatenate %x, %y, %x, dim = 0 : (tensor<4xf32>, tensor<0xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = stablehlo.pad %y, %z, low = [1], high = [2], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<3xf32>, tensor<4xf32>
}

// What one elementwise op reads is fused into it; few elements, as above, are computed in place.
// CHECK-LABEL: func.func @fused_concatenations
//   CHECK-DAG:   %[[ONE:.*]] = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<40xf32>, tensor<40xf32>)
//   CHECK-DAG:   %[[EXP:.*]] = stablehlo.exponential %[[ONE]]
//   CHECK-DAG:   %[[MANY:.*]] = tensor.concat dim(0) %arg0, %[[EXP]] : (tensor<40xf32>, tensor<80xf32>)
//   CHECK-DAG:   %[[DYNAMIC:.*]] = stablehlo.concatenate %arg1, %arg1, dim = 0
//       CHECK:   return %{{.*}}, %{{.*}}, %[[DYNAMIC]]
func.func @fused_concatenations(%x: tensor<40xf32>, %y: tensor<?xf32>)
    -> (tensor<120xf32>, tensor<120xf32>, tensor<?xf32>) {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<40xf32>, tensor<40xf32>) -> tensor<80xf32>
  %1 = stablehlo.exponential %0 : tensor<80xf32>
  %2 = stablehlo.concatenate %x, %1, dim = 0 : (tensor<40xf32>, tensor<80xf32>) -> tensor<120xf32>
  %3 = stablehlo.negate %2 : tensor<120xf32>
  %4 = stablehlo.exponential %2 : tensor<120xf32>
  %5 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3, %4, %5 : tensor<120xf32>, tensor<120xf32>, tensor<?xf32>
}
