// RUN: inplace-opt %s --inplace-lower-hlo-branches | filecheck %s

// CHECK-LABEL: func.func @two
//       CHECK:   %[[INDEX:.*]] = tensor.extract %arg0[] : tensor<i32>
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[INDEX]], %{{.*}} : i32
//       CHECK:   %[[RESULT:.*]]:2 = scf.if %[[FIRST]] -> (tensor<4xf32>, f32) {
//       CHECK:     %[[SINE:.*]] = stablehlo.sine %arg1
//       CHECK:     scf.yield %[[SINE]], %{{.*}} : tensor<4xf32>, f32
//       CHECK:   } else {
//       CHECK:     scf.yield %arg1, %{{.*}} : tensor<4xf32>, f32
//       CHECK:   tensor.from_elements %[[RESULT]]#1 : tensor<f32>
func.func @two(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1, %y : tensor<4xf32>, tensor<f32>
  }, {
    %1 = stablehlo.sine %y : tensor<f32>
    stablehlo.return %x, %1 : tensor<4xf32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<f32>
}

// An index that no branch has takes the last one.
// CHECK-LABEL: func.func @three
//       CHECK:   %[[INDEX:.*]] = arith.index_cast %{{.*}} : i32 to index
//       CHECK:   scf.index_switch %[[INDEX]] -> tensor<4xf32>
//  CHECK-NEXT:   case 0 {
//  CHECK-NEXT:     stablehlo.sine
//       CHECK:   case 1 {
//  CHECK-NEXT:     stablehlo.cosine
//       CHECK:   default {
//  CHECK-NEXT:     stablehlo.tanh
func.func @three(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.cosine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.tanh %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @one
//  CHECK-NEXT:   %[[SINE:.*]] = stablehlo.sine %arg1
//  CHECK-NEXT:   return %[[SINE]]
func.func @one(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @nested
//       CHECK:   scf.if %{{.*}} -> (tensor<4xf32>) {
//       CHECK:     scf.if %{{.*}} -> (tensor<4xf32>) {
//   CHECK-NOT:   stablehlo.if
func.func @nested(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%q) ({
      %2 = stablehlo.sine %x : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
